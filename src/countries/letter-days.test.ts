import { describe, expect, it } from 'vitest';
import { createCountry } from './country.ts';
import { gb } from './gb.ts';

const days = createCountry(gb).letterDays;

const abroad = (zone: string, cutOff = '17:30') =>
  createCountry({ ...gb, calendar: { ...gb.calendar, zone }, letter: { ...gb.letter, cutOff } }).letterDays;

describe('estimated delivery', () => {
  it.each([
    // created, postage, delivered by
    ['2000-12-01T00:00:00Z', 'second', '2000-12-11T16:00:00.000Z'],
    ['2000-06-01T00:00:00Z', 'first', '2000-06-03T15:00:00.000Z'],
    // before and after 17:30 London time on a Monday in summer
    ['2026-06-15T16:29:59Z', 'first', '2026-06-17T15:00:00.000Z'],
    ['2026-06-15T16:30:00Z', 'first', '2026-06-18T15:00:00.000Z'],
    ['2026-06-15T12:00:00Z', 'second', '2026-06-23T15:00:00.000Z'],
    ['2026-06-15T12:00:00Z', 'economy', '2026-06-25T15:00:00.000Z'],
    ['2026-06-15T12:00:00Z', 'europe', '2026-06-24T15:00:00.000Z'],
    ['2026-06-15T12:00:00Z', 'rest-of-world', '2026-06-26T15:00:00.000Z'],
    // over Christmas 2026: printed on Tuesday 29 December
    ['2026-12-24T12:00:00Z', 'first', '2026-12-30T16:00:00.000Z'],
  ] as const)('accepted %s, %s class: %s', (created, postage, expected) => {
    expect(days.estimatedDelivery(new Date(created), postage).toISOString()).toBe(expected);
  });

  it.each(['netherlands', null])('takes the default class for %s, which the profile does not have', (postage) => {
    expect(days.estimatedDelivery(new Date('2026-06-15T12:00:00Z'), postage).toISOString()).toBe(
      '2026-06-23T15:00:00.000Z',
    );
  });
});

describe('the cut-off', () => {
  it('assigns letters after 17:30 in London to the next print run', () => {
    expect(days.runDay(new Date('2026-01-05T17:29:59Z'))).toBe('2026-01-05');
    expect(days.runDay(new Date('2026-01-05T17:30:00Z'))).toBe('2026-01-06');
  });

  it.each([
    // zone, cut-off, the moment of it: each around the days on which clocks change
    ['Europe/London', '17:30', '2026-03-28T17:30Z'],
    ['Europe/London', '17:30', '2026-03-29T16:30Z'],
    ['Europe/London', '17:30', '2026-10-25T17:30Z'],
    ['Europe/Amsterdam', '17:30', '2026-03-28T16:30Z'],
    ['Europe/Amsterdam', '17:30', '2026-03-29T15:30Z'],
    ['Europe/Amsterdam', '17:30', '2026-10-25T16:30Z'],
    ['America/New_York', '17:30', '2026-03-07T22:30Z'],
    ['America/New_York', '17:30', '2026-03-08T21:30Z'],
    ['America/New_York', '17:30', '2026-11-01T22:30Z'],
    ['Asia/Kathmandu', '09:15', '2026-11-17T03:30Z'],
    // A time that clocks skip is as much later as they skip.
    ['Europe/Amsterdam', '02:30', '2026-03-29T01:30Z'],
    ['Australia/Sydney', '00:00', '2026-11-16T13:00Z'],
  ])('of %s at %s is %s', (zone, cutOff, moment) => {
    const local = abroad(zone, cutOff);
    const at = new Date(moment);
    const [before, after] = [new Date(at.getTime() - 60_000), new Date(at.getTime() + 60_000)];
    const next = local.runDay(at);
    expect(local.cutOffOf(local.runDay(before))).toEqual(at);
    expect(local.runDay(after)).toBe(next);
    expect(local.cutOffOf(next).getTime()).toBeGreaterThan(after.getTime());
    expect(local.lastCutOff(at)).toEqual(at);
    expect(local.lastCutOff(after)).toEqual(at);
    expect(local.lastCutOff(before).getTime()).toBeLessThan(before.getTime() - 22 * 3_600_000);
  });

  it('begins a print run that lasts until midnight, or five hours', () => {
    const runAt = (local: typeof days, moment: string) => local.findCurrentRun(new Date(moment))?.day;
    expect(runAt(days, '2026-12-24T17:29Z')).toBeUndefined();
    expect(runAt(days, '2026-12-24T17:30Z')).toBe('2026-12-24');
    expect(runAt(days, '2026-12-24T23:59Z')).toBe('2026-12-24');
    expect(runAt(days, '2026-12-25T00:00Z')).toBeUndefined();
    expect(runAt(days, '2026-12-25T18:00Z')).toBeUndefined();
    const late = abroad('Europe/Amsterdam', '23:50');
    expect(runAt(late, '2026-12-24T22:49Z')).toBeUndefined();
    expect(runAt(late, '2026-12-24T22:50Z')).toBe('2026-12-24');
    expect(runAt(late, '2026-12-25T03:49Z')).toBe('2026-12-24');
    expect(runAt(late, '2026-12-25T03:50Z')).toBeUndefined();
  });

  it('of the last print run is that of a working day', () => {
    // 25 and 28 December 2026 are holidays, 26 and 27 a weekend.
    expect(days.lastRun(new Date('2026-12-29T17:29Z'))).toEqual(new Date('2026-12-24T17:30Z'));
    expect(days.lastRun(new Date('2026-12-29T17:30Z'))).toEqual(new Date('2026-12-29T17:30Z'));
    expect(days.printDay(new Date('2026-12-24T17:30Z'))).toBe('2026-12-29');
    expect(days.printDay(new Date('2026-12-24T17:29Z'))).toBe('2026-12-24');
  });
});

describe('continuous printing', () => {
  const days = abroad('Europe/London', 'continuous');
  const at = (text: string) => new Date(text);

  it.each([
    ['2026-11-18T20:00:00Z', '2026-11-18', '2026-11-18T20:05:00Z'],
    ['2026-11-18T20:04:59Z', '2026-11-18', '2026-11-18T20:05:00Z'],
    // From 23:55 on, the run is the first of the next day.
    ['2026-11-18T23:55:00Z', '2026-11-19', '2026-11-19T00:00:00Z'],
    ['2026-11-20T23:54:59Z', '2026-11-20', '2026-11-20T23:55:00Z'],
    ['2026-11-20T23:55:00Z', '2026-11-23', '2026-11-23T00:00:00Z'],
    ['2026-11-21T12:00:00Z', '2026-11-23', '2026-11-23T00:00:00Z'],
    ['2026-12-24T23:59:00Z', '2026-12-29', '2026-12-29T00:00:00Z'],
  ])('takes a letter of %s on %s, which can be cancelled until %s', (accepted, printed, until) => {
    expect(days.printDay(at(accepted))).toBe(printed);
    expect(days.cancelledUntil(at(accepted))).toEqual(at(until));
    expect(days.lastCutOff(at(accepted)) <= at(accepted)).toBe(true);
    expect(days.lastCutOff(at(until))).toEqual(at(until));
    expect(days.findCurrentRun(at(until))?.cutOff).toEqual(at(until));
  });

  it('goes on for letters that are still being rendered, and then waits for a working day', () => {
    expect(days.findCurrentRun(at('2026-11-21T04:54:00Z'))).toEqual({
      day: '2026-11-20',
      cutOff: at('2026-11-20T23:55:00Z'),
    });
    expect(days.findCurrentRun(at('2026-11-21T12:00:00Z'))).toBeUndefined();
  });

  it('delivers what is accepted in the evening a day earlier', () => {
    const daily = abroad('Europe/London');
    const evening = at('2026-11-18T20:00:00Z');
    expect(days.estimatedDelivery(evening, 'second')).toEqual(
      daily.estimatedDelivery(at('2026-11-18T12:00:00Z'), 'second'),
    );
    expect(days.estimatedDelivery(evening, 'second') < daily.estimatedDelivery(evening, 'second')).toBe(true);
  });

  it('expects letters back from the printer after two working days, not after five minutes', () => {
    expect(days.twoDaysBefore(days.lastRun(at('2026-11-23T12:00:00Z')))).toEqual(at('2026-11-19T23:55:00Z'));
    const daily = abroad('Europe/London');
    expect(daily.twoDaysBefore(daily.lastRun(at('2026-11-23T23:00:00Z')))).toEqual(at('2026-11-20T17:30:00Z'));
  });
});
