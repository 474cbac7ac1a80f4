import { parseCronItems } from 'graphile-worker';
import { describe, expect, it } from 'vitest';
import { addDays, type Calendar } from '../src/countries/calendar.ts';
import { gb } from '../src/countries/gb.ts';
import type { CountryProfile } from '../src/countries/profile.ts';
import { later, minute_ms } from '../src/platform/clock.ts';
import type { RunnableTask } from '../src/platform/queue/schedule.ts';
import { cronItems } from '../src/platform/queue/worker.ts';
import { runnableTasks, tasks } from '../src/tasks.ts';
import { aLetter, letterRow } from './kit/builders/letters.ts';
import { aNotification, aService, aTemplate } from './kit/builders/rows.ts';
import { type Harness, useHarness } from './kit/harness.ts';
import { isLongRun } from './kit/process/process-environment.ts';

/** Two days of every scheduled task, in zones where the nights of London are other times of the day. */

const day = '2026-11-17';
const nextDay = addDays(day, 1);
const keptDays = 7;
const onceADay = /^\d+ \d+ \* \* \*$/;

/** `npm test` runs the westernmost and the easternmost, between which the shifts of the others are. */
const zones = [
  'America/Vancouver',
  'Pacific/Auckland',
  ...(isLongRun ? ['Europe/London', 'America/Toronto', 'Asia/Kathmandu', 'Australia/Sydney'] : []),
];

const profileIn = (zone: string): CountryProfile => ({ ...gb, calendar: { ...gb.calendar, zone, limitDay: 'local' } });

interface Run {
  task: string;
  /** Local. */
  at: string;
}

/** Whether a task starts at this minute, as the worker decides it. */
function startsAt(task: RunnableTask): (moment: Date) => boolean {
  const [item] = parseCronItems(cronItems(task));
  return (moment) =>
    item?.match({
      min: moment.getUTCMinutes(),
      hour: moment.getUTCHours(),
      date: moment.getUTCDate(),
      month: moment.getUTCMonth() + 1,
      dow: moment.getUTCDay(),
    }) ?? false;
}

/** Tasks that run every hour or more often are run six times a day: this test is about days. */
function isLeftOut({ schedule, name }: RunnableTask, calendar: Calendar, moment: Date): boolean {
  const isFrequent = !/^\S+ \d+(,\d+)* /.test(schedule?.cron ?? '') && name !== 'collate-letters';
  return isFrequent && calendar.wallTime(moment).hour % 4 !== 0;
}

/** When the test looks, or sends a letter. */
const watched = ['06:00', '10:00', '18:00', '23:59'];

async function runTwoDays(harness: Harness, onMinute: (time: string) => Promise<void>): Promise<Run[]> {
  const { calendar } = harness.app.country;
  harness.clock.set(calendar.start(day).toISOString());
  const scheduled = runnableTasks(harness.app).filter(({ schedule }) => schedule);
  const starts = scheduled.map((task) => ({ task, isDue: startsAt(task), lastHour: '' }));
  const runs: Run[] = [];
  for (let moment = calendar.start(day); moment < calendar.start(addDays(day, 2)); moment = later(moment, minute_ms)) {
    const time = calendar.time(moment);
    const due = starts.filter(
      ({ task, isDue, lastHour }) =>
        isDue(moment) && !(isLeftOut(task, calendar, moment) || (lastHour === time.slice(0, 13) && !isOften(task))),
    );
    if (due.length === 0 && !watched.includes(time.slice(11, 16))) continue;
    harness.clock.set(moment.toISOString());
    for (const start of due) {
      start.lastHour = time.slice(0, 13);
      await start.task.run({});
      runs.push({ task: start.task.name, at: time });
    }
    if (due.some(({ task }) => task.name === 'collate-letters')) await harness.runTasks();
    await onMinute(time);
  }
  return runs;
}

const isOften = ({ name }: RunnableTask) => name === 'collate-letters';

describe.each(zones)('%s', (zone) => {
  const harness = useHarness({ country: profileIn(zone), config: { providers: { sandbox: { delay_ms: 0 } } } });

  it('prints letters after the cut-off, deletes nothing early, and succeeds once a day', {
    timeout: 240_000,
  }, async () => {
    const { calendar } = harness.app.country;
    const service = await aService(harness);
    const letters = await aTemplate(harness, service, { template_type: 'letter' });
    const texts = await aTemplate(harness, service, { template_type: 'sms' });
    const sentAt = async (moment: Date) => {
      harness.clock.set(moment.toISOString());
      return aNotification(harness, service, texts, { status: 'technical-failure' });
    };
    const beforeStart = (ofDay: string) => new Date(calendar.start(ofDay).getTime() - 1);
    const sent = {
      tooOld: await sentAt(beforeStart(addDays(day, -keptDays))),
      untilTomorrow: await sentAt(calendar.start(addDays(day, -keptDays))),
      lastUntilTomorrow: await sentAt(beforeStart(addDays(nextDay, -keptDays))),
      kept: await sentAt(calendar.start(addDays(nextDay, -keptDays))),
    };
    const isKept = async (id: string) => {
      const { rowCount } = await harness.app.pool.query('select from notifications where id = $1', [id]);
      return rowCount === 1;
    };
    const letterIds: string[] = [];
    const seen: Record<string, unknown> = {};
    const runs = await runTwoDays(harness, async (time) => {
      if (time === `${day} 10:00:00` || time === `${day} 18:00:00`) {
        letterIds.push(await aLetter(harness, service, letters));
        await harness.runTasks();
      }
      if (time.endsWith(' 06:00:00') || time.endsWith(' 23:59:00')) {
        seen[time] = Object.fromEntries(
          await Promise.all(Object.entries(sent).map(async ([name, id]) => [name, await isKept(id)])),
        );
      }
    });

    const first = { tooOld: false, untilTomorrow: true, lastUntilTomorrow: true, kept: true };
    const second = { tooOld: false, untilTomorrow: false, lastUntilTomorrow: false, kept: true };
    expect(seen).toEqual({
      [`${day} 06:00:00`]: first,
      [`${day} 23:59:00`]: first,
      [`${nextDay} 06:00:00`]: second,
      [`${nextDay} 23:59:00`]: second,
    });

    const printed = await Promise.all(letterIds.map((id) => letterRow(harness, id)));
    expect(printed.map(({ sent_at }) => calendar.time(new Date(String(sent_at))))).toEqual([
      `${day} 17:30:00`,
      `${nextDay} 17:30:00`,
    ]);

    for (const { name, schedule } of tasks) {
      if (!schedule || !onceADay.test(schedule.cron)) continue;
      const times = runs.filter(({ task }) => task === name).map(({ at }) => at);
      expect(
        times.map((at) => at.slice(0, 10)),
        name,
      ).toEqual([day, nextDay]);
      // Summer time makes the hours of the night one later.
      for (const at of times) expect(Number(at.slice(11, 13)), `${name} at ${at}`).toBeLessThan(6);
    }
    for (const { name, schedule } of tasks) {
      if (schedule)
        expect(
          runs.some(({ task }) => task === name),
          `${name} never ran`,
        ).toBe(true);
    }
    expect(harness.logged.filter((line) => line.includes('rollup.repaired'))).toEqual([]);
  });
});

describe('the schedule of the United Kingdom', () => {
  const harness = useHarness();

  it('is what the list of tasks says', () => {
    expect(runnableTasks(harness.app).map(({ schedule }) => schedule?.cron)).toEqual(
      tasks.map(({ schedule }) => schedule?.cron),
    );
  });
});

describe('the schedule of a zone at 05:45', () => {
  const harness = useHarness({ country: profileIn('Asia/Kathmandu') });
  const cronOf = (name: string) => runnableTasks(harness.app).find((task) => task.name === name)?.schedule?.cron;

  it('is shifted by minutes, too', () => {
    expect(cronOf('reconcile-rollups')).toBe('5 20 * * *');
    expect(cronOf('apply-retention')).toBe('15 21 * * *');
    expect(cronOf('check-letters')).toBe('15 1,13 * * *');
    expect(cronOf('collate-letters')).toBe('5,25,45 * * * *');
    expect(cronOf('create-partitions')).toBe('7 * * * *');
  });
});
