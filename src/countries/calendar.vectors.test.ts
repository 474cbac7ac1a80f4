import { describe, expect, it } from 'vitest';
import { casesOf } from '../../test/kit/vectors.ts';
import { addDays, Calendar } from './calendar.ts';

interface Case<Input, Expected> {
  id: string;
  kind: string;
  input: Input;
  expected: Expected;
}

function casesOfKind<Input, Expected>(name: string, kind: string): Case<Input, Expected>[] {
  return casesOf<Case<Input, Expected>>(`countries/${name}.json`).filter((example) => example.kind === kind);
}

const hour_ms = 3_600_000;

describe('vectors of days', () => {
  const bounds = casesOfKind<
    { zone: string; day: string },
    { start: string; end: string; hours: number; first_wall_time: string; exists: boolean }
  >('days', 'day-bounds');
  it.each(bounds)('$id: $input.zone $input.day', ({ input, expected }) => {
    const calendar = new Calendar(input.zone);
    const [start, end] = [calendar.start(input.day), calendar.start(addDays(input.day, 1))];
    expect(start.toISOString()).toBe(expected.start);
    expect(end.toISOString()).toBe(expected.end);
    expect((end.getTime() - start.getTime()) / hour_ms).toBe(expected.hours);
    if (!expected.exists) return;
    expect(calendar.day(start)).toBe(input.day);
    expect(calendar.time(start)).toBe(`${input.day} ${expected.first_wall_time}`);
    expect(calendar.day(new Date(start.getTime() - 1))).not.toBe(input.day);
    expect(calendar.day(new Date(end.getTime() - 1))).toBe(input.day);
  });

  const moments = casesOfKind<{ zone: string; instant: string }, { day: string; time: string }>('days', 'day-of');
  it.each(moments)('$id: $input.zone $input.instant', ({ input, expected }) => {
    const calendar = new Calendar(input.zone);
    const moment = new Date(input.instant);
    expect(calendar.day(moment)).toBe(expected.day);
    expect(calendar.time(moment)).toBe(`${expected.day} ${expected.time}`);
  });

  const wallTimes = casesOfKind<
    { zone: string; wall_time: string },
    { instant: string; wall_time_of_instant: string; exists: boolean; twice: boolean }
  >('days', 'instant-of-wall-time');
  it.each(wallTimes)('$id: $input.zone $input.wall_time', ({ input, expected }) => {
    const calendar = new Calendar(input.zone);
    const [day = '', time = ''] = input.wall_time.split('T');
    const [hour, minute] = time.split(':').map(Number);
    const moment = calendar.instant(day, hour, minute);
    expect(moment.toISOString()).toBe(expected.instant);
    expect(calendar.time(moment).slice(0, 16).replace(' ', 'T')).toBe(expected.wall_time_of_instant);
  });

  it('has cases of every kind', () => {
    expect([bounds, moments, wallTimes].every(({ length }) => length > 0)).toBe(true);
  });
});

describe('vectors of financial years', () => {
  const years = casesOfKind<
    { zone: string; financial_year_start: string; instant: string },
    {
      day: string;
      year: number;
      first_day: string;
      last_day: string;
      starts_at: string;
      ends_at: string;
      label: string;
    }
  >('financial-years', 'financial-year');
  it.each(years)('$id: $input.zone $input.financial_year_start $input.instant', ({ input, expected }) => {
    const calendar = new Calendar(input.zone, input.financial_year_start);
    const moment = new Date(input.instant);
    const days = calendar.financialYearDays(expected.year);
    expect({
      day: calendar.day(moment),
      year: calendar.financialYear(moment),
      ...days,
      starts_at: calendar.start(days.first_day).toISOString(),
      ends_at: calendar.start(addDays(days.last_day, 1)).toISOString(),
      label: calendar.financialYearLabel(expected.year),
    }).toEqual(expected);
  });

  it('has cases', () => {
    expect(years.length).toBeGreaterThan(0);
  });
});
