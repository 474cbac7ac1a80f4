import { Type } from 'typebox';
import { addDays, type Calendar, isDay } from '../../countries/calendar.ts';
import { formatted, type Text, t } from '../../language/text.ts';
import { day_ms, later } from '../../platform/clock.ts';
import { invalidField } from '../../platform/failure.ts';
import type { FormState } from '../page.ts';
import { useViewer } from '../viewer.ts';
import { HintAndError } from './field.tsx';
import { clockTime } from './time.tsx';

/** How far ahead something can be scheduled. */
interface SchedulingWindow {
  max_ms: number;
  hint(zoneName: string): Text;
  tooLate: Text;
}

export const nextDay: SchedulingWindow = {
  max_ms: day_ms,
  hint: (zoneName) => t('{zoneName}, within 24 hours.', { zoneName }),
  tooLate: t('Choose a time within the next 24 hours.'),
};

export const nextWeek: SchedulingWindow = {
  max_ms: 7 * day_ms,
  hint: (zoneName) => t('{zoneName}, within 7 days.', { zoneName }),
  tooLate: t('Choose a time within the next 7 days.'),
};

interface WhenProps {
  formState: FormState;
  now: Date;
  within: SchedulingWindow;
}

/** When to send: now, or on a day at a full hour. `readWhen` reads its three fields. */
export function When({ formState, now, within: { hint, max_ms } }: WhenProps) {
  const { calendar, zoneName } = useViewer();
  const name = 'scheduled_for';
  const error = formState.problems.get(name);
  const until = later(now, max_ms);
  const typed = readWhen(calendar, Object.fromEntries(formState.typed));
  const isLater = typed !== '';
  const chosen = parseMoment(typed) ?? suggestTime(calendar, now, until);
  const hour = calendar.wallTime(chosen).hour;
  return (
    <fieldset
      class={error === undefined ? 'choices when' : 'choices when field--error'}
      aria-describedby={error === undefined ? `${name}-hint` : `${name}-hint ${name}-error`}
    >
      <legend class="label">{t('When')}</legend>
      <HintAndError name={name} hint={hint(zoneName)} error={error} />
      <label class="choice">
        <input id={name} type="radio" name={name} value="" checked={!isLater} />
        <span>{t('Now')}</span>
      </label>
      <label class="choice">
        <input type="radio" name={name} value="later" checked={isLater} />
        <span>{t('Later')}</span>
      </label>
      <div class="cols cols--narrow when-later">
        <div class="field">
          <label class="label" for="scheduled_day">
            {t('Send on')}
          </label>
          <select class="input" id="scheduled_day" name="scheduled_day">
            {daysUntil(calendar, now, until).map((day) => (
              <option key={day} value={day} selected={day === calendar.day(chosen)}>
                {nameOfDay(calendar, calendar.start(day), now)}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label class="label" for="scheduled_hour">
            {t('Send at')}
          </label>
          <select class="input" id="scheduled_hour" name="scheduled_hour">
            <Hours hours={hoursOfDay} chosen={hour} />
            <optgroup label={mayBeAsleep}>
              <Hours hours={hoursOfNight} chosen={hour} />
            </optgroup>
          </select>
        </div>
      </div>
    </fieldset>
  );
}

const mayBeAsleep = t('People may be asleep');
const hoursOfDay = Array.from({ length: 13 }, (_, index) => index + 8);
const hoursOfNight = [21, 22, 23, 0, 1, 2, 3, 4, 5, 6, 7];
const nameOfHour = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

function Hours({ hours, chosen }: { hours: readonly number[]; chosen: number }) {
  return (
    <>
      {hours.map((hour) => (
        <option key={hour} value={hour} selected={hour === chosen}>
          {nameOfHour(hour)}
        </option>
      ))}
    </>
  );
}

/** Returns tomorrow at 9, or a time today if tomorrow is too late. */
function suggestTime(calendar: Calendar, now: Date, until: Date): Date {
  const today = calendar.day(now);
  const tomorrow = calendar.instant(addDays(today, 1), 9);
  return tomorrow <= until ? tomorrow : calendar.instant(today, 9);
}

function daysUntil(calendar: Calendar, now: Date, until: Date): string[] {
  const days: string[] = [];
  for (let day = calendar.day(now); day <= calendar.day(until); day = addDays(day, 1)) days.push(day);
  return days;
}

export const WhenFields = {
  scheduled_for: Type.Optional(Type.String()),
  scheduled_day: Type.Optional(Type.String()),
  scheduled_hour: Type.Optional(Type.String()),
};

/** Returns the chosen time as text; blank for now. A page can also send the time itself. */
export function readWhen(calendar: Calendar, form: { [name: string]: unknown }): string {
  const { scheduled_for = '', scheduled_day, scheduled_hour } = form;
  const [day, hour] = [String(scheduled_day), Number(scheduled_hour)];
  const isComplete = isDay(day) && Number.isInteger(hour) && hour >= 0 && hour < 24;
  return scheduled_for === 'later' && isComplete ? calendar.instant(day, hour).toISOString() : String(scheduled_for);
}

/** Returns undefined for texts that `readWhen` did not write, because `Date.parse` accepts almost anything. */
function parseMoment(text: string): Date | undefined {
  const moment = new Date(/^\d{4}-\d\d-\d\dT/.test(text) ? text : Number.NaN);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

export function refuseBadTime(text: string, now: Date, { max_ms, tooLate }: SchedulingWindow): void {
  if (text === '') return;
  const moment = parseMoment(text);
  if (!moment) throw invalidField('scheduled_for', t('Choose a day and an hour.'));
  if (moment < now) throw invalidField('scheduled_for', t('Choose a time that has not passed.'));
  if (moment > later(now, max_ms)) throw invalidField('scheduled_for', tooLate);
}

function nameOfDay(calendar: Calendar, moment: Date, now: Date): Text {
  const day = calendar.day(moment);
  if (day === calendar.day(now)) return t('Today');
  if (day === addDays(calendar.day(now), 1)) return t('Tomorrow');
  return formatted(({ dates }) => dates.weekdayAndDay(day));
}

/** "Tomorrow, 09:00" */
export function wordsOfHour(calendar: Calendar, moment: Date, now: Date): Text {
  return t('{day}, {time}', { day: nameOfDay(calendar, moment, now), time: clockTime(calendar, moment) });
}

/** Returns a warning if messages would arrive at night. */
export function nightWarning(calendar: Calendar, moment: Date): Text | undefined {
  return hoursOfNight.includes(calendar.wallTime(moment).hour) ? t('People may be asleep.') : undefined;
}
