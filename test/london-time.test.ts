import { expect, it } from 'vitest';
import { Calendar } from '../src/countries/calendar.ts';

const london = new Calendar('Europe/London');

it.each([
  ['2026-11-16T12:34:56.789Z', '2026-11-16 12:34:56'],
  ['2026-07-01T23:30:00Z', '2026-07-02 00:30:00'],
  // The hours before and after a change of summer time.
  ['2026-03-29T00:59:59Z', '2026-03-29 00:59:59'],
  ['2026-03-29T01:00:00Z', '2026-03-29 02:00:00'],
  ['2026-10-25T00:59:59Z', '2026-10-25 01:59:59'],
  ['2026-10-25T01:00:00Z', '2026-10-25 01:00:00'],
  ['2027-01-01T00:00:00Z', '2027-01-01 00:00:00'],
])('%s is %s in London', (moment, expected) => {
  expect(london.time(new Date(moment))).toBe(expected);
  // From the cache.
  expect(london.time(new Date(moment))).toBe(expected);
});
