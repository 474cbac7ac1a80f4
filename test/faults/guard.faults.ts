import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reply, startMailServer } from '../kit/vendors/mail-servers.ts';
import { OwnDatabase } from './kit/own-database.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

/**
 * PostgreSQL stands still while a list with bad addresses goes out: first so briefly that statements only take longer, then until they
 * fail. The guard must still see it long before the end of the list.
 */

const rows = 6_000;
const perSecond = 25;
const pauses_s = [5, 12];
const platformUser = '6af522d0-2915-4e52-83a3-3690455a5fe6';
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let database: OwnDatabase;
let world: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  mailServer.beforeRecipient = async (address) => {
    if (address.startsWith('wrong')) throw reply(550, '5.1.1 No such mailbox');
  };
  database = await OwnDatabase.start();
  world = await World.start({
    databaseUrl: database.url,
    env: {
      ...{ EMAIL_PROVIDERS: 'smtp', SMTP_URL: mailServer.url, PROVIDER_RATES: `smtp:${perSecond}` },
      ...{ GUARD: 'on', GUARD_MIN_SENT: '300' },
    },
  });
}, 120_000);

afterAll(async () => {
  await world?.close();
  await database?.stop();
  await mailServer?.close();
});

it('a pause of the database does not blind the guard', async () => {
  const { service_id } = await world.aSender('Bad list');
  await world.admin(`/service/${service_id}`, { email_message_limit: 10 * rows });
  const template_id = await world.aTemplate(service_id, { template_type: 'email', subject: 'Hello', content: 'Hello' });
  const lines = Array.from({ length: rows }, (_, row) => `${row % 5 === 0 ? 'wrong' : 'right'}${row}@example.org`);
  const file = ['email address', ...lines].join('\n');
  const uploaded = await world.call(`/service/${service_id}/upload?filename=list.csv&template_id=${template_id}`, file);
  const { data } = (await uploaded.json()) as { data: { id: string } };
  await world.admin(`/service/${service_id}/job`, { id: data.id, created_by: platformUser });
  await until(async () => (await handedOver(service_id)) > 50);
  for (const pause_s of pauses_s) {
    database.signalAll('SIGSTOP');
    await sleep(pause_s * 1_000);
    database.signalAll('SIGCONT');
    await sleep(2_000);
  }
  const backAt = Date.now();
  const isPaused = async () => (await world.query("select 1 from service_guard where state = 'paused'")).length > 0;
  await until(async () => (await isPaused()) || (await handedOver(service_id)) === rows);
  const [after_s, paused] = [Math.round((Date.now() - backAt) / 1_000), await isPaused()];
  // What is leased already still goes out.
  await sleep(10_000);
  const sent = await handedOver(service_id);
  await sleep(10_000);
  const more = (await handedOver(service_id)) - sent;
  const outcome = { accepted: rows, final: sent, seen: sent, duplicates: [], lost: [], seconds: after_s };
  report(
    'a guarded list',
    `20 % of ${rows} addresses wrong, PostgreSQL stops for ${pauses_s.join(' and ')} s`,
    outcome,
    [`paused ${paused ? `${after_s} s after it was back` : 'never'}, ${sent} handed over, ${more} after that`],
  );
  expect(paused).toBe(true);
  expect(sent).toBeLessThan(rows / 2);
  expect(more).toBe(0);
}, 600_000);

async function handedOver(service_id: string): Promise<number> {
  const [found] = await world.query<{ count: number }>(
    "select count(*)::int as count from notifications where service_id = $1 and status not in ('created', 'cancelled')",
    [service_id],
  );
  return found?.count ?? 0;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 400_000; Date.now() < end && !(await done()); ) await sleep(500);
}
