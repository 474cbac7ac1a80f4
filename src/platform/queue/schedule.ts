import type { Country } from '../../countries/country.ts';
import { minute_ms } from '../clock.ts';
import type { Task } from './queue.ts';

/**
 * When a task starts. `cron` is in UTC, and suits London. In another zone, a task of certain hours starts when its clocks show them in
 * winter (`scheduleIn`): nights are nights, and days have ended. A task about days still checks the moment itself.
 */
export interface Schedule {
  cron: string;
  /** Another line where `cron` does not suit, instead of shifting it; undefined where it does. */
  elsewhere?(country: Country, now: Date): string | undefined;
  reason: string;
}

const ofCertainHours = /^(\d+) (\d+(?:,\d+)*) \* \* \*$/;
const minutesOfDay = 24 * 60;

/** The schedule as a worker of a country needs it. It keeps its shape, so a task that runs once a day still does. */
export function scheduleIn(country: Country, now: Date, schedule: Schedule): Schedule {
  if (schedule.elsewhere) return { ...schedule, cron: schedule.elsewhere(country, now) ?? schedule.cron };
  const [, minute, hours] = ofCertainHours.exec(schedule.cron) ?? [];
  if (hours === undefined) return schedule;
  const ahead_min = country.calendar.standardOffset_ms(now) / minute_ms;
  const starts = hours.split(',').map((hour) => Number(hour) * 60 + Number(minute) - ahead_min + minutesOfDay);
  const shifted = starts.map((start) => Math.floor((start % minutesOfDay) / 60)).sort((one, other) => one - other);
  return { ...schedule, cron: `${(starts[0] ?? 0) % 60} ${shifted.join(',')} * * *` };
}

/** A task with its handler. `run` is a method, because only methods let one list hold tasks of different payloads. */
export interface RunnableTask<Payload = unknown> extends Task<Payload> {
  schedule?: Schedule;
  run(payload: Payload): Promise<void>;
}
