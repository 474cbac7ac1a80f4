import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import { isLongRun } from '../../../test/kit/process/process-environment.ts';
import { Calendar } from '../../countries/calendar.ts';
import { localDayText } from './local-day.ts';

const harness = useHarness();

const cases = isLongRun ? 20_000 : 4_000;
// Both databases of time zones know these years. Of later ones, the newer of the two may know another rule.
const [first, last] = [Date.parse('2000-01-01T00:00:00Z'), Date.parse('2025-01-01T00:00:00Z')];

/** Those that both know. Each has a database of time zones of its own. */
async function sharedZones(): Promise<string[]> {
  const { rows } = await harness.app.pool.query<{ name: string }>('select name from pg_timezone_names');
  const known = new Set(rows.map(({ name }) => name));
  return Intl.supportedValuesOf('timeZone').filter((zone) => known.has(zone));
}

/** The day that PostgreSQL computes for each moment, with the text that statements have. */
async function daysInSql(calendars: Calendar[], zones: number[], moments: Date[]): Promise<string[]> {
  const texts = calendars.map((calendar, index) => `when ${index} then ${localDayText(calendar, 'moment')}`);
  const { rows } = await harness.app.pool.query<{ day: string }>(
    `select case zone ${texts.join(' ')} end as day
     from unnest($1::int[], $2::timestamptz[]) with ordinality as asked (zone, moment, position) order by position`,
    [zones, moments.map((moment) => moment.toISOString())],
  );
  return rows.map(({ day }) => day);
}

it(`is the day of the calendar, for ${cases} random zones and moments`, async () => {
  const zones = await sharedZones();
  expect(zones.length).toBeGreaterThan(300);
  const calendars = zones.map((zone) => new Calendar(zone));
  const asked = fc.sample(fc.tuple(fc.nat(zones.length - 1), fc.integer({ min: first, max: last - 1 })), cases);
  const moments = asked.map(([, time]) => new Date(time));
  const days = await daysInSql(
    calendars,
    asked.map(([zone]) => zone),
    moments,
  );
  const differences = asked.flatMap(([zone, time], index) => {
    const day = calendars[zone]?.day(new Date(time));
    return day === days[index] ? [] : [`${zones[zone]} ${new Date(time).toISOString()}: ${day}, SQL ${days[index]}`];
  });
  expect(differences).toEqual([]);
});

it('is the day of the calendar at the first and last moment of days around each change of clocks', async () => {
  const zones = ['Europe/London', 'America/Havana', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'];
  const calendars = zones.map((zone) => new Calendar(zone));
  const asked = calendars.flatMap((calendar, zone) =>
    Array.from({ length: 730 }, (_, day) => new Date(Date.UTC(2026, 0, day + 1)).toISOString().slice(0, 10)).flatMap(
      (day) => [-1, 0].map((offset_ms) => ({ zone, moment: new Date(calendar.start(day).getTime() + offset_ms) })),
    ),
  );
  const days = await daysInSql(
    calendars,
    asked.map(({ zone }) => zone),
    asked.map(({ moment }) => moment),
  );
  expect(days).toEqual(asked.map(({ zone, moment }) => calendars[zone]?.day(moment)));
});
