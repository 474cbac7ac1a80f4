import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { addUpRollups, drawMessages, foldedUpTo, rollUpMessages, seedServices } from '../bench/statistics-seed.ts';
import { addUpChanges, foldRollups } from '../src/notifications/rollups/rollups.ts';
import { timestamp } from '../src/platform/clock.ts';
import { type PastMessage, somePastMessages } from './kit/builders/messages.ts';
import { useHarness } from './kit/harness.ts';

/** The seed of the statistics benchmark matches the rows of real messages. */

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const tables = [
  'daily_status_counts',
  'daily_usage',
  'service_usage_spans',
  'service_status_spans',
  'template_status_totals',
  'platform_usage_totals',
  'platform_status_totals',
] as const;

async function figures(): Promise<Record<string, unknown[]>> {
  const found = tables.map(async (table) => [
    table,
    (
      await harness.app.db
        .selectFrom(table)
        .selectAll()
        .orderBy(sql`${sql.table(table)}::text`)
        .execute()
    ).filter(saysSomething),
  ]);
  return Object.fromEntries(await Promise.all(found));
}

/** A status that every message has left counts 0 or is missing, depending on when changes were added up. */
function saysSomething(row: object): boolean {
  const counts = ['count', 'notifications_sent'].flatMap((name) =>
    name in row ? [row[name as keyof typeof row]] : [],
  );
  return counts.length === 0 || counts.some((count) => count !== 0);
}

async function accept(messages: PastMessage[]): Promise<void> {
  expect(messages.length).toBeGreaterThan(0);
  for (let from = 0; from < messages.length; from += 250) {
    await somePastMessages(harness, messages.slice(from, from + 250));
  }
}

it('the seed of the benchmark equals the result of accepting, delivering and folding each message', async () => {
  const { db } = harness.app;
  const seed = { messages: 3_000, services: 5, days: 20, now: harness.clock.now() };
  const { services } = await seedServices(db, seed);
  await drawMessages(db, seed, services);
  await rollUpMessages(db, seed);
  await addUpRollups(db);
  const seeded = await figures();
  const { rows } = await sql<PastMessage>`select * from seeded_messages`.execute(db);
  expect(rows.length).toBe(3_000);

  for (const table of tables) await db.deleteFrom(table).execute();
  const messages = rows.map(({ postage, ...row }) => ({ ...row, ...(postage ? { postage } : {}) }));
  const last = timestamp(foldedUpTo(seed));
  await accept(messages.filter(({ created_at }) => created_at < last));
  await foldRollups(db);
  await accept(messages.filter(({ created_at }) => created_at >= last));
  await addUpChanges(db);
  const left = await figures();
  for (const table of tables) {
    expect(seeded[table]?.length, table).toBeGreaterThan(0);
    expect(seeded[table], table).toEqual(left[table]);
  }
});
