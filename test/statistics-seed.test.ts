import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { drawMessages, rollUpMessages, seedServices } from '../bench/statistics-seed.ts';
import { useHarness } from './kit/harness.ts';
import { type PastMessage, somePastMessages } from './kit/messages.ts';

/** What the benchmark of the statistics measures is what messages really leave behind. */

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

async function rollups(): Promise<unknown[]> {
  const { db } = harness.app;
  return Promise.all([
    db.selectFrom('daily_status_counts').selectAll().orderBy(everyColumn('daily_status_counts')).execute(),
    db.selectFrom('daily_usage').selectAll().orderBy(everyColumn('daily_usage')).execute(),
  ]);
}

const everyColumn = (table: string) => sql`${sql.table(table)}::text`;

it('the seed of the benchmark equals what accepting and delivering each of its messages leaves', async () => {
  const { db } = harness.app;
  const seed = { messages: 3_000, services: 5, days: 30, now: harness.clock.now() };
  const { services } = await seedServices(db, seed);
  await drawMessages(db, seed, services);
  await rollUpMessages(db);
  const seeded = await rollups();
  const { rows } = await sql<PastMessage>`select * from seeded_messages`.execute(db);
  expect(rows.length).toBe(3_000);

  for (const table of ['daily_status_counts', 'daily_usage'] as const) await db.deleteFrom(table).execute();
  const messages = rows.map(({ postage, ...row }) => ({ ...row, ...(postage ? { postage } : {}) }));
  for (let from = 0; from < messages.length; from += 250) {
    await somePastMessages(harness, messages.slice(from, from + 250));
  }
  const [statuses, usage] = await rollups();
  expect(seeded[0]).toEqual(statuses);
  expect(seeded[1]).toEqual(usage);
});
