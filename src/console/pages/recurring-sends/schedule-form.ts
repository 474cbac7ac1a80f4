import { type Static, Type } from 'typebox';
import { weekday } from '../../../countries/calendar.ts';
import type { Country } from '../../../countries/country.ts';
import { lastRecurringDay, parseRule, type RecurrenceRule } from '../../../countries/timing/recurrence.ts';
import {
  fileCancelled,
  limitExceeded,
  listDeleted,
  notRunning,
  ownerHasLeft,
  ownerMayNotSend,
  pausedByGuard,
  templateDeleted,
  templateHidden,
  unexpectedError,
  wasPaused,
} from '../../../jobs/recurring/run-reasons.ts';
import { asIs, declared, fromStored, joined, list, type StoredText, type Text, t } from '../../../language/text.ts';
import { invalidField } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { checkAll } from '../../forms.ts';
import { readDay, readNumber, TypedValue } from '../../parts/value-fields.tsx';
import { type Viewer, viewerIn } from '../../viewer.ts';

/** In the order of a week that begins on Monday. */
export const weekdays = [
  { value: 'MO', label: t('Monday') },
  { value: 'TU', label: t('Tuesday') },
  { value: 'WE', label: t('Wednesday') },
  { value: 'TH', label: t('Thursday') },
  { value: 'FR', label: t('Friday') },
  { value: 'SA', label: t('Saturday') },
  { value: 'SU', label: t('Sunday') },
];

/** Which of the weekdays of a month, as in `BYDAY=1TU`. */
export const weeks = [
  { value: '1', label: t('First') },
  { value: '2', label: t('Second') },
  { value: '3', label: t('Third') },
  { value: '4', label: t('Fourth') },
  { value: '-1', label: t('Last', { context: 'weekday of a month' }) },
];

export const RecurringForm = Type.Object({
  template_id: Type.String({ format: 'uuid' }),
  contact_list_id: Type.String({ format: 'uuid' }),
  frequency: OneOf(['daily', 'weekly', 'weekday-of-month', 'monthly', 'last-day', 'last-working-day']),
  days: Type.Array(OneOf(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']), { maxItems: 7 }),
  week: Type.Optional(OneOf(['1', '2', '3', '4', '-1'])),
  month_day: Type.Optional(TypedValue),
  at_time: TypedValue,
  starts_on: TypedValue,
  ends_on: Type.Optional(TypedValue),
  do: Type.Optional(OneOf(['check', 'change', 'save'])),
});
export type RecurringFields = Static<typeof RecurringForm>;

/** Reports all fields at once; some may be missing because they are wrong in themselves. */
export function refuseBadSchedule(form: Partial<RecurringFields>): Promise<unknown> {
  const { frequency, days = [], month_day = '', at_time, starts_on, ends_on } = form;
  return checkAll(
    () => {
      const needsDays = frequency === 'weekly' || frequency === 'weekday-of-month';
      if (needsDays && days.length === 0) throw invalidField('days', t('Choose at least one day.'));
    },
    () => frequency === 'monthly' && readNumber(month_day, { field: 'month_day', min: 1, max: 31 }),
    () => at_time !== undefined && readTime(at_time),
    () => starts_on !== undefined && readDay(starts_on, { field: 'starts_on' }),
    () => ends_on !== undefined && readDay(ends_on, { field: 'ends_on' }),
    () => {
      if (ends_on !== undefined && starts_on !== undefined && ends_on < starts_on) {
        throw invalidField('ends_on', t('Enter a day that is not before the start.'));
      }
    },
    () => {
      if (ends_on !== undefined && ends_on > lastRecurringDay) {
        throw invalidField('ends_on', t('Enter a day that is not after {last}.', { last: lastRecurringDay }));
      }
    },
  );
}

/** "9:30" is 09:30. */
function readTime(text: string): string {
  const time = text.padStart(5, '0');
  if (/^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(time)) return time;
  throw invalidField('at_time', t('Enter a time, such as 10:00.'));
}

/** The rule and times of a form that `refuseBadSchedule` accepts, in the time of whoever fills it in. */
export function buildTimes({ calendar }: Viewer, form: RecurringFields) {
  const { starts_on, ends_on, at_time } = form;
  const rule = ends_on === undefined ? ruleOf(form) : `${ruleOf(form)};UNTIL=${ends_on.replaceAll('-', '')}`;
  return { rule, starts_on, at_time: readTime(at_time), time_zone: calendar.zone };
}

function ruleOf({ frequency, days, week = '1', month_day = '' }: RecurringFields): string {
  switch (frequency) {
    case 'daily':
      return 'FREQ=DAILY';
    case 'weekly':
      return `FREQ=WEEKLY;BYDAY=${days.join(',')}`;
    case 'weekday-of-month':
      return `FREQ=MONTHLY;BYDAY=${days.map((day) => `${week}${day}`).join(',')}`;
    case 'monthly':
      return `FREQ=MONTHLY;BYMONTHDAY=${Number(month_day)}`;
    case 'last-day':
      return 'FREQ=MONTHLY;BYMONTHDAY=-1';
    case 'last-working-day':
      return 'FREQ=MONTHLY;BYDAY=-1WD';
  }
}

/** Returns "Every week on Monday at 10:00, London time". Rules that the form cannot make are shown as they are. */
export function describeTimes(
  country: Country,
  times: { rule: string; starts_on: string; at_time: string; time_zone: string },
): Text {
  const values = { time: times.at_time, zoneName: viewerIn(country, times.time_zone).zoneName };
  const rule = parseRule(times.rule);
  if (rule?.interval === 1 && rule.count === undefined) {
    if (rule.frequency === 'DAILY') return t('Every day at {time}, {zoneName}', values);
    if (rule.frequency === 'WEEKLY') {
      const chosen = rule.weekdays.length > 0 ? rule.weekdays.map((day) => day.weekday) : [weekday(times.starts_on)];
      return t('Every week on {days} at {time}, {zoneName}', { ...values, days: namesOf(chosen) });
    }
    const weekdayOfMonth = describeWeekdayOfMonth(rule, values);
    if (weekdayOfMonth) return weekdayOfMonth;
    if (rule.lastWorkingDay) return t('On the last working day of each month at {time}, {zoneName}', values);
    const [day] = rule.monthDays;
    if (day === -1) return t('On the last day of each month at {time}, {zoneName}', values);
    if (day !== undefined && rule.monthDays.length === 1) {
      return t('On day {day} of each month at {time}, {zoneName}', { ...values, day });
    }
  }
  return asIs(`${times.rule} ${times.at_time} ${times.time_zone}`);
}

function describeWeekdayOfMonth({ weekdays: chosen }: RecurrenceRule, values: Record<string, Text | string>) {
  const [first] = chosen;
  if (!first || chosen.some(({ nth }) => nth !== first.nth)) return undefined;
  const all = { ...values, days: namesOf(chosen.map((day) => day.weekday)) };
  switch (first.nth) {
    case 1:
      return t('On the first {days} of each month at {time}, {zoneName}', all);
    case 2:
      return t('On the second {days} of each month at {time}, {zoneName}', all);
    case 3:
      return t('On the third {days} of each month at {time}, {zoneName}', all);
    case 4:
      return t('On the fourth {days} of each month at {time}, {zoneName}', all);
    default:
      return t('On the last {days} of each month at {time}, {zoneName}', all);
  }
}

function namesOf(chosen: readonly number[]): Text {
  return list(weekdays.filter((_, index) => chosen.includes(index + 1)).map(({ label }) => label));
}

const reasons = new Map<string, Text>([
  [ownerHasLeft, t('The owner of this recurring send has left the team.')],
  [ownerMayNotSend, t('The owner of this recurring send can no longer send messages.')],
  [templateHidden, t('The owner of this recurring send can no longer see the template.')],
  [templateDeleted, t('Template deleted.')],
  [listDeleted, t('Contact list deleted.')],
  [pausedByGuard, t('Sending to many is paused.')],
  [limitExceeded, t('The list has more people than the limits of your service allow.')],
  [notRunning, t('Pennypost was not running at that time.')],
  [wasPaused, t('The recurring send was paused.')],
  [fileCancelled, t('File cancelled.')],
  [unexpectedError, t('Something went wrong on our side. An operator can find the reason in the log.')],
]);

/** Returns why a date was not sent. */
export function describeReason(reason: string, texts?: readonly StoredText[] | null): Text {
  return reasons.get(reason) ?? (texts ? joined(texts.map(fromStored)) : declared(reason));
}
