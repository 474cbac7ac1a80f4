import { describe, expect, it } from 'vitest';
import { urlsOfHosts } from './database-hosts.ts';

describe('urlsOfHosts', () => {
  it.each([
    ['postgres://u:p@h1:5432/db', ['postgres://u:p@h1:5432/db']],
    ['postgres://u@/db?host=/run/postgresql', ['postgres://u@/db?host=/run/postgresql']],
    [
      'postgres://u:p%40x@h1:5432,h2:5433/db?target_session_attrs=read-write&sslmode=disable',
      [
        'postgres://u:p%40x@h1:5432/db?target_session_attrs=read-write&sslmode=disable',
        'postgres://u:p%40x@h2:5433/db?target_session_attrs=read-write&sslmode=disable',
      ],
    ],
    ['postgres://u@h1,[::1]:6432/db', ['postgres://u@h1/db', 'postgres://u@[::1]:6432/db']],
    ['postgres://h1,h2/db', ['postgres://h1/db', 'postgres://h2/db']],
    ['postgres://u@/db?host=h1,h2&port=1,2', ['postgres://u@/db?host=h1&port=1', 'postgres://u@/db?host=h2&port=2']],
    [
      'postgres://u@/db?host=h1,h2&port=6432',
      ['postgres://u@/db?host=h1&port=6432', 'postgres://u@/db?host=h2&port=6432'],
    ],
  ])('%s', (url, expected) => {
    expect(urlsOfHosts(url)).toEqual(expected);
  });

  it.each([
    ['postgres://u@h1,,h2/db', 'names an empty host: there is a comma too many'],
    ['postgres://u@/db?host=h1,h2,h3&port=1,2', 'names 3 hosts and 2 ports; give one port for all, or one for each'],
    [
      'postgres://u@h1,h2/db?target_session_attrs=prefer-standby',
      'must not ask for a standby: set target_session_attrs=read-write, or leave it out',
    ],
  ])('refuses %s', (url, message) => {
    expect(() => urlsOfHosts(url)).toThrow(message);
  });

  it('allows a standby where one is sought, and then not the primary', () => {
    const url = 'postgres://u@h1,h2/db?target_session_attrs=prefer-standby';
    expect(urlsOfHosts(url, 'standby')).toHaveLength(2);
    expect(() => urlsOfHosts('postgres://u@h1,h2/db?target_session_attrs=read-write', 'standby')).toThrow(
      'must not ask for the primary: set target_session_attrs=standby, or leave it out',
    );
  });
});
