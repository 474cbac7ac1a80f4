import type { Country } from '../../countries/country.ts';
import { minute_ms } from '../clock.ts';
import type { Task } from './queue.ts';

/**
 * When a task starts. `cron` is in UTC and set for London. For a country in another zone, `scheduleIn` shifts a daily task by the zone's
 * standard (winter) offset, so that nightly tasks run at night and after the day has ended. A task that depends on days still checks the
 * time itself.
 */
export interface Schedule {
  cron: string;
  /** Returns another cron expression instead of a shifted one; undefined to use `cron` unchanged. */
  elsewhere?(country: Country, now: Date): string | undefined;
  reason: string;
}

const ofCertainHours = /^(\d+) (\d+(?:,\d+)*) \* \* \*$/;
const minutesOfDay = 24 * 60;

/** Returns the schedule for a country. A shifted schedule keeps its form, so a daily task stays daily. */
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
