import { describe, expect, it } from 'vitest';
import { Calendar } from '../../../countries/calendar.ts';
import { Failure } from '../../../platform/failure.ts';
import { parseSearch } from './list-query.ts';

const london = new Calendar('Europe/London');
const now = new Date('2026-06-15T12:00:00Z');

describe('the search box', () => {
  it.each([
    ['', {}],
    ['07700 900123', { words: '07700 900123' }],
    ['to:ada@example.org', { recipient: 'ada@example.org' }],
    ['to:"07700 900123" march.csv', { recipient: '07700 900123', words: 'march.csv' }],
    ['STATUS:cancelled', { statuses: ['cancelled'] }],
    ['status:delivered', { statuses: ['delivered', 'sent', 'returned-letter'] }],
    ['template:"Your appointment" ref:A-1', { template: 'Your appointment', reference: 'A-1' }],
    ['after:yesterday before:today', { since: new Date('2026-06-13T23:00Z'), until: new Date('2026-06-14T23:00Z') }],
    ['after:2026-01-02', { since: new Date('2026-01-02T00:00Z') }],
    // Not an operator: part of a word, or unknown.
    ['photo:1 web:2', { words: 'photo:1 web:2' }],
  ])('%s', (text, search) => {
    expect(parseSearch(london, text, now)).toEqual(search);
  });

  it.each([
    ['status:lost', 'Enter a status such as sending, delivered, failed or cancelled. “lost” is not a status.'],
    ['before:2026-02-30', 'Enter the day as before:2026-06-15, before:today or before:yesterday.'],
    ['to:', 'Enter what you are looking for after to:'],
    ['template:""', 'Enter what you are looking for after template:'],
  ])('%s is refused', (text, problem) => {
    expect(() => parseSearch(london, text, now)).toThrow(Failure);
    try {
      parseSearch(london, text, now);
    } catch (error) {
      expect((error as Failure).detail).toEqual({ find: [problem] });
    }
  });
});
