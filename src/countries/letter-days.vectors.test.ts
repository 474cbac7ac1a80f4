import { describe, expect, it } from 'vitest';
import { casesOf } from '../../test/kit/vectors.ts';
import { builtInCountries } from './built-in.ts';
import { createCountry } from './country.ts';
import type { CountryProfile } from './profile.ts';

interface WorkingDay {
  id: string;
  kind: 'working-day';
  input: { profile: string; day: string };
  expected: { holiday: boolean; working_day: boolean };
}

interface LetterDay {
  id: string;
  kind: 'letter-day';
  input: {
    profile: string;
    zone: string;
    accepted_at: string;
    cut_off: string;
    postage: string;
    /** Those of the class, where the profile does not say. */
    transit_days?: number;
    delivery_weekdays?: number[];
  };
  expected: { print_run_day: string; printed_on?: string; estimated_delivery: string };
}

const cases = casesOf<WorkingDay | LetterDay>('countries/letter-days.json');
describe.each(cases)('$id $kind', (example) => {
  it(JSON.stringify(example.input), () =>
    example.kind === 'working-day' ? checkWorkingDay(example) : checkLetterDay(example),
  );
});

function profileOf(code: string): CountryProfile {
  const profile = builtInCountries[code];
  if (!profile) throw new Error(`there is no profile ${code}`);
  return profile;
}

function checkWorkingDay({ input: { profile, day }, expected }: WorkingDay): void {
  const { holidays } = createCountry(profileOf(profile));
  expect({ holiday: holidays.has(day), working_day: holidays.isWorkingDay(day) }).toEqual(expected);
}

function checkLetterDay({ input, expected }: LetterDay): void {
  const profile = profileOf(input.profile);
  const classes = profile.postage.classes.map((one) => ({
    ...one,
    transitDays: input.transit_days ?? one.transitDays,
    deliveryWeekdays: input.delivery_weekdays ?? one.deliveryWeekdays,
  }));
  const { letterDays } = createCountry({
    ...profile,
    calendar: { ...profile.calendar, zone: input.zone },
    letter: { ...profile.letter, cutOff: input.cut_off },
    postage: { ...profile.postage, classes },
  });
  const acceptedAt = new Date(input.accepted_at);
  expect({
    print_run_day: letterDays.runDay(acceptedAt),
    printed_on: expected.printed_on && letterDays.printDay(acceptedAt),
    estimated_delivery: letterDays.estimatedDelivery(acceptedAt, input.postage),
  }).toEqual({
    print_run_day: expected.print_run_day,
    printed_on: expected.printed_on,
    estimated_delivery: new Date(expected.estimated_delivery),
  });
}
