import { Calendar } from './calendar.ts';
import { createMoney, type Money } from './money.ts';
import type { CountryProfile } from './profile.ts';

/** The country of an installation: its profile, with the calendar and the money that the profile describes. */
export type Country = Omit<CountryProfile, 'calendar' | 'money'> & {
  calendar: Calendar;
  /** The calendar of daily limits. */
  limitCalendar: Calendar;
  weekend: readonly number[];
  money: Money;
};

export function createCountry({ calendar, ...profile }: CountryProfile): Country {
  const local = new Calendar(calendar.zone, calendar.financialYearStart);
  return {
    ...profile,
    calendar: local,
    limitCalendar: calendar.limitDay === 'utc' ? new Calendar('UTC') : local,
    weekend: calendar.weekend,
    money: createMoney(profile),
  };
}
