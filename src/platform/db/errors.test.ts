import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { statusOfKind } from '../failure.ts';
import { failureOfDatabaseError } from './errors.ts';

function databaseError(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('from the server', 1, 'error'), { code });
}

describe('failureOfDatabaseError', () => {
  it.each([
    ['53100', 503, 'no disk left'],
    ['53200', 503, 'no memory left'],
    ['53300', 503, 'no connection left'],
    ['58030', 503, 'the disk fails'],
    ['57P01', 503, 'shutting down'],
    ['57P03', 503, 'starting up'],
    ['57014', 503, 'took longer than a statement may'],
    ['25006', 503, 'a replica that takes no writes'],
    ['08006', 503, 'connection lost'],
    ['22021', 400, 'text that cannot be stored'],
    ['23503', 400, 'an id that does not exist'],
  ])('%s is %d: %s', (code, status) => {
    const failure = failureOfDatabaseError(databaseError(code));
    expect(failure && statusOfKind[failure.kind]).toBe(status);
    if (status === 503) expect(failure?.headers).toEqual({ 'retry-after': '1' });
  });

  it.each(['42P01', '23505', 'XX000'])('%s is a bug', (code) => {
    expect(failureOfDatabaseError(databaseError(code))).toBeUndefined();
  });
});
