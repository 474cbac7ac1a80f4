import { ca } from './ca.ts';
import { Calendar } from './calendar.ts';
import { Holidays } from './holidays.ts';
import { LetterDays } from './letter-days.ts';
import { createGeometry, type Geometry } from './letter-geometry.ts';
import { createMoney, type Money } from './money.ts';
import { PhoneRules } from './phone-rules.ts';
import type { CountryProfile } from './profile.ts';

/** The country of an installation: its profile, with the calendars, money and rules built from it. */
export type Country = Omit<CountryProfile, 'calendar' | 'money' | 'holidays' | 'letter' | 'phone'> & {
  /** The profile as written, for code that stores or shows all of it. */
  profile: CountryProfile;
  calendar: Calendar;
  phone: PhoneRules;
  /** How clients of GC Notify write numbers: as in Canada first, otherwise as in this country. */
  phoneOfGcClients: PhoneRules;
  limitCalendar: Calendar;
  weekend: readonly number[];
  money: Money;
  holidays: Holidays;
  letterDays: LetterDays;
  letter: CountryProfile['letter'] & { geometry: Geometry };
};

export function createCountry(profile: CountryProfile): Country {
  const { calendar } = profile;
  const local = new Calendar(calendar.zone, calendar.financialYearStart);
  const days = new Holidays(profile.holidays, calendar.weekend);
  return {
    ...profile,
    profile,
    calendar: local,
    limitCalendar: calendar.limitDay === 'utc' ? new Calendar('UTC') : local,
    weekend: calendar.weekend,
    money: createMoney(profile),
    holidays: days,
    letter: { ...profile.letter, geometry: createGeometry(profile.letter) },
    letterDays: new LetterDays({
      calendar: local,
      holidays: days,
      cutOff: profile.letter.cutOff,
      postage: profile.postage,
    }),
    phone: new PhoneRules(profile.phone),
    phoneOfGcClients: new PhoneRules(profile.phone, new PhoneRules(ca.phone)),
  };
}
