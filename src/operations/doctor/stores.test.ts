import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { aService } from '../../../test/kit/builders.ts';
import { changedConfig } from '../../../test/kit/changed-config.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import type { App } from '../../app.ts';
import { checkRunningStores, checkStores } from './stores.ts';

const harness = useHarness({ stores: 2 });

const urlOf = (app: App | undefined) => app?.pool.options.connectionString ?? '';

/** With other databases than the setting names, by number. */
async function findings(urls: Record<number, string> = {}): Promise<string[]> {
  const [main, ...stores] = harness.app.stores.all;
  const own: Record<number, string> = Object.fromEntries(stores.map((store) => [store.store, urlOf(store)]));
  const databases = Object.entries({ ...own, ...urls })
    .filter(([, url]) => url !== '')
    .map(([number, url]) => ({ number: Number(number), url }));
  const config = changedConfig(harness.app.config, { stores: { databases } });
  const found = await checkStores(config, urlOf(main));
  return found.map(({ name, ok, description }) => `${ok ? 'ok' : 'PROBLEM'} ${name}: ${description}`);
}

describe('pennypost doctor with message stores', () => {
  it('checks each of them as the main database, and names it', async () => {
    await harness.app.configurationCopies.update();
    const found = await findings();
    expect(found.filter((line) => !line.startsWith('ok '))).toEqual([]);
    expect(found).toEqual(
      expect.arrayContaining([
        'ok stores: the main database and 1, 2',
        expect.stringMatching(/^ok store 1 database: PostgreSQL/),
        'ok store 2 schema: up to date',
        expect.stringMatching(/^ok store 2 clock: /),
        'ok store 2 standbys: none: without this server there is only the backup',
        'ok store 2: store 2 of this installation',
        'ok store 2 configuration: up to date with the main database',
      ]),
    );
    const running = await checkRunningStores(harness.app);
    expect(running.filter(({ ok }) => !ok)).toEqual([]);
    expect(running).toContainEqual(expect.objectContaining({ name: 'store 1 schema' }));
  });

  it('reports stores that are away, swapped, unknown or not configured', async () => {
    const [main, , two] = harness.app.stores.all;
    const found = (await findings({ 1: urlOf(two), 2: 'postgres://nobody@127.0.0.1:1/none' })).join('\n');
    expect(found).toContain('PROBLEM store 1: cannot be used: The database of store 1 is store 2 of this installation');
    expect(found).toMatch(/PROBLEM store 2 database: cannot be reached: .*: check store 2 in MESSAGE_STORES/);
    expect(await findings({ 2: '' })).toContainEqual(
      expect.stringMatching(/^PROBLEM stores: .*MESSAGE_STORES lacks store 2/),
    );
    expect(await findings({ 3: urlOf(main) })).toContainEqual(
      expect.stringMatching(/^PROBLEM stores: .*Store 3 was not added/),
    );
  });

  it('reports an old schema, and configuration that is not copied', async () => {
    const [, one] = harness.app.stores.all as [App, App];
    await sql`update schema_migrations set name = 'x' where name like '0036%'`.execute(one.db);
    await aService(harness);
    const found = await findings();
    await sql`update schema_migrations set name = '0036_suppressed_recipients.sql' where name = 'x'`.execute(one.db);
    expect(found).toContainEqual(expect.stringMatching(/^PROBLEM store 1 schema: 1 migrations are missing/));
    expect(found).toContainEqual(
      expect.stringMatching(/^PROBLEM store 2 configuration: [1-9]\d* changes have not been copied/),
    );
  });
});
