import { londonDay, londonWallTime } from '../../platform/calendar.ts';
import { day_ms, hour_ms, later } from '../../platform/clock.ts';
import type { FormState } from '../page.ts';
import { explained, Labelled } from './field.tsx';
import { clockTime, dayAndMonth } from './time.tsx';

interface WhenProps {
  formState: FormState;
  now: Date;
  /** Full hours until then are offered. */
  until: Date;
  hint?: string;
}

/** When to send: now, or on the hour. The field is `scheduled_for`; blank means now. */
export function When({ formState, now, until, hint }: WhenProps) {
  const name = 'scheduled_for';
  const chosen = formState.typed.get(name);
  return (
    <Labelled formState={formState} name={name} label="When" hint={hint}>
      <select class="input" id={name} name={name} {...explained(formState, name, hint)}>
        <option value="">Now</option>
        {hoursByDay(now, until).map(({ day, hours }) => (
          <optgroup key={day} label={day}>
            {hours.map((hour) => (
              <option key={hour.toISOString()} value={hour.toISOString()} selected={hour.toISOString() === chosen}>
                {wordsOfHour(hour, now)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </Labelled>
  );
}

/** Full hours in London, without the current one. When clocks go back, an hour is offered twice. */
function hoursByDay(now: Date, until: Date): { day: string; hours: Date[] }[] {
  const days = new Map<string, Date[]>();
  for (let at = (Math.floor(now.getTime() / hour_ms) + 1) * hour_ms; at <= until.getTime(); at += hour_ms) {
    const hour = new Date(at);
    const day = nameOfDay(hour, now);
    days.set(day, [...(days.get(day) ?? []), hour]);
  }
  return [...days].map(([day, hours]) => ({ day, hours }));
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

function nameOfDay(moment: Date, now: Date): string {
  const day = londonDay(moment);
  if (day === londonDay(now)) return 'Today';
  if (day === londonDay(later(now, day_ms))) return 'Tomorrow';
  const { year, month, day: ofMonth } = londonWallTime(moment);
  return `${weekdays[new Date(Date.UTC(year, month - 1, ofMonth)).getUTCDay()]} ${dayAndMonth(moment)}`;
}

/** "Tomorrow, 09:00" */
export function wordsOfHour(moment: Date, now: Date): string {
  return `${nameOfDay(moment, now)}, ${clockTime(moment)}`;
}
