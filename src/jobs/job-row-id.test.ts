import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUuid, momentOfId } from '../platform/id.ts';
import { jobRowIds } from './job-row-id.ts';

const maxRow = 2 ** 20 - 1;
const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
const row = fc.integer({ min: 0, max: maxRow });

/** Written down bit by bit, as the layout is documented. */
function bitsOf(id: string): string {
  return BigInt(`0x${id.replaceAll('-', '')}`)
    .toString(2)
    .padStart(128, '0');
}

describe('the id of a row', () => {
  it('is a UUIDv7 with time, row number and bits of the job', () => {
    fc.assert(
      fc.property(fc.uuid(), moment, row, (job, at, number) => {
        const id = jobRowIds(job, at)(number);
        const bits = bitsOf(id);
        expect(isUuid(id)).toBe(true);
        expect(momentOfId(id)).toEqual(at);
        expect([bits.slice(48, 52), bits.slice(64, 66)]).toEqual(['0111', '10']);
        const rest = bits.slice(52, 64) + bits.slice(66);
        expect(Number.parseInt(rest.slice(0, 20), 2)).toBe(number);
        const hash = createHash('sha256').update(job).digest('hex');
        expect(rest.slice(20)).toBe(bitsOf(hash.slice(0, 32)).slice(0, 54));
      }),
    );
  });

  it('ascends with rows, and with chunks', () => {
    fc.assert(
      fc.property(fc.uuid(), moment, row, row, (job, at, one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const ids = jobRowIds(job, at);
        if (low !== high) expect(ids(low) < ids(high)).toBe(true);
        const later = jobRowIds(job, new Date(at.getTime() + 1));
        expect(ids(high) < later(low)).toBe(true);
      }),
    );
  });

  it('differs between jobs', () => {
    const at = new Date('2026-11-16T12:00:00Z');
    const ids = Array.from({ length: 1_000 }, () => jobRowIds(randomUUID(), at)(7));
    expect(new Set(ids).size).toBe(1_000);
  });

  it('exists for every row that a file may have', () => {
    const ids = jobRowIds(randomUUID(), new Date());
    expect(isUuid(ids(999_999))).toBe(true);
    expect(() => ids(maxRow + 1)).toThrow(RangeError);
    expect(() => ids(-1)).toThrow(RangeError);
  });
});
