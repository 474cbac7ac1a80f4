import { mkdirSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { aService } from '../../../../../test/kit/builders.ts';
import { aPerson, signedIn } from '../../../../../test/kit/console-people.ts';
import type { ConsoleVisitor } from '../../../../../test/kit/console-visitor.ts';
import { useHarness } from '../../../../../test/kit/harness.ts';
import type { App } from '../../../../app.ts';
import { measureStores } from '../../../../stores/store-metrics.ts';

const harness = useHarness({ stores: 1 });
let browser: ConsoleVisitor;

beforeAll(async () => {
  mkdirSync(harness.app.config.storage.dataDir, { recursive: true });
  browser = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
  const service_id = await aService(harness);
  await harness.app.db.updateTable('service_stores').set({ store: 1 }).where('service_id', '=', service_id).execute();
  await sql`update message_stores set is_open = false where number = 0`.execute(harness.app.db);
  await harness.app.configurationCopies.update();
});

/** The text of the page, in a new process: a process shares what it read for some seconds. */
async function overview(): Promise<string> {
  const { http } = await harness.anotherProcess();
  const answer = await http.inject({
    url: '/console/operator',
    headers: { cookie: `pennypost_session=${browser.cookies.get('pennypost_session')}` },
  });
  expect(answer.statusCode).toBe(200);
  return answer.body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

it('the overview lists the message stores', async () => {
  // A busy machine may take longer to copy than an update waits for.
  const afterCopying = async () => {
    await harness.app.configurationCopies.update();
    return overview();
  };
  const stores = 'Main database Reachable Closed 1 0 Original Store 1 Reachable Open 1 0 Copied';
  await expect.poll(afterCopying, { timeout: 15_000 }).toContain(stores);
});

it('the overview and the metrics report a store that is away', async () => {
  const [main, away] = harness.app.stores.all as [App, App];
  measureStores(harness.app);
  const metrics = async () => (await harness.request({ method: 'GET', url: '/metrics' })).text;
  expect(await metrics()).toMatch(
    /configuration_copy_age_seconds\{store="1"\} 0\.\d|configuration_copy_age_seconds\{store="1"\} \d/,
  );
  const name = (await sql<{ name: string }>`select current_database() as name`.execute(away.db)).rows[0]?.name ?? '';
  await sql`alter database ${sql.ref(name)} allow_connections false`.execute(main.db);
  try {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`.execute(main.db);
    const text = await overview();
    expect(text).toContain('Message store 1 is away');
    expect(text).toContain('Requests of its service get a 503. It cannot be reached');
    expect(text).toContain('Main database Reachable Closed 1 0 Original Store 1 Away Open 1 – –');
    await expect.poll(metrics).toContain('message_store_up{store="0"} 1\nmessage_store_up{store="1"} 0\n');
  } finally {
    await sql`alter database ${sql.ref(name)} allow_connections true`.execute(main.db);
  }
});
