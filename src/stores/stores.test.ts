import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { aUser } from '../../test/kit/builders.ts';
import { useHarness } from '../../test/kit/harness.ts';
import type { App } from '../app.ts';
import { sandboxTexts } from '../delivery/providers/sandbox.ts';
import { getInboxMessage, listInbox } from '../delivery/sandbox/inbox.ts';
import { storeOfId } from '../platform/id.ts';
import { selectCopiedTables } from './configuration-copy.sql.ts';
import { copiedTables, mainTables, storeTables } from './tables.ts';

const harness = useHarness({ stores: 2, config: { providers: { sandbox: { delay_ms: 0 } } } });

interface Sender {
  id: string;
  key: string;
  sms: string;
  store: App;
}

const senders: Sender[] = [];

beforeAll(async () => {
  for (const name of ['One', 'Two', 'Three', 'Four']) senders.push(await aSender(name));
});

async function aSender(name: string): Promise<Sender> {
  const user_id = await aUser(harness);
  const service = await harness.admin('POST', '/service', {
    ...{ name, user_id, created_by: user_id, active: true, restricted: false, email_from: name.toLowerCase() },
    ...{ email_message_limit: 100, sms_message_limit: 100, letter_message_limit: 100 },
  });
  const { id } = service.body.data;
  const key = await harness.admin('POST', `/service/${id}/api-key`, {
    name: 'key',
    created_by: user_id,
    key_type: 'normal',
  });
  const template = await harness.admin('POST', `/service/${id}/template`, {
    ...{ name: 'Text', template_type: 'sms', content: 'Hello ((name))', service: id, created_by: user_id },
  });
  const store = await harness.app.stores.of(id);
  return { id, key: `key-${id}-${key.body.data}`, sms: template.body.data.id, store };
}

function send({ key, sms }: Sender) {
  const body = { template_id: sms, phone_number: '07700900123', personalisation: { name: 'Ada' } };
  return harness.v2('POST', '/v2/notifications/sms', key, body);
}

describe('tables', () => {
  it('are copied, in the main database only or in every store', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
      harness.app.db,
    );
    expect([...copiedTables, ...mainTables, ...storeTables].sort()).toEqual(rows.map(({ name }) => name).sort());
    expect((await selectCopiedTables(harness.app.db)).map(({ name }) => name)).toEqual([...copiedTables]);
  });

  it('of the configuration can be changed in the main database only', async () => {
    const [, store] = harness.app.stores.all;
    await expect(store?.db.updateTable('services').set({ name: 'Other' }).execute()).rejects.toThrow(
      'The table services can be changed in the main database only',
    );
    await expect(store?.db.deleteFrom('sessions').execute()).rejects.toThrow('main database only');
  });
});

describe('new services', () => {
  it('go to the open store with the fewest services', () => {
    expect(senders.map(({ store }) => store.store)).toEqual([0, 1, 2, 0]);
  });
});

describe('a message', () => {
  it('is stored, delivered and found in the store of its service, which its id names', async () => {
    for (const sender of senders) {
      const { status, body } = await send(sender);
      expect(status).toBe(201);
      expect(storeOfId(body.id)).toBe(sender.store.store);
      await harness.deliver();
      const found = await harness.v2('GET', `/v2/notifications/${body.id}`, sender.key);
      expect(found.body).toMatchObject({ id: body.id, status: 'delivered' });
      for (const { db, store } of harness.app.stores.all) {
        const rows = await db.selectFrom('notifications').select('id').where('id', '=', body.id).execute();
        expect(rows).toHaveLength(store === sender.store.store ? 1 : 0);
      }
    }
  });

  it('is not found by another service, in whatever store that is', async () => {
    const [one, two] = senders as [Sender, Sender];
    const { body } = await send(two);
    expect((await harness.v2('GET', `/v2/notifications/${body.id}`, one.key)).status).toBe(404);
  });
});

describe('the sandbox', () => {
  it('shows the messages of all stores, newest first, and finds each', async () => {
    const ids = [];
    for (const sender of senders) ids.unshift((await send(sender)).body.id);
    await harness.deliver();
    const reader = { platform_admin: true, permissions: {} };
    const { messages } = await listInbox(harness.app, reader, {});
    expect(messages.slice(0, senders.length).map(({ id }) => id)).toEqual(ids);
    for (const id of ids) expect((await getInboxMessage(harness.app, reader, id)).text).toContain('Hello Ada');
    const another = { platform_admin: false, permissions: { [senders[0]?.id ?? '']: ['view_activity'] } };
    await expect(getInboxMessage(harness.app, another, ids[1])).rejects.toThrow('No result found');
  });
});

describe('a change of the configuration', () => {
  it('is in every store before its response', async () => {
    for (const { id, store } of senders) {
      const made = await harness.admin('POST', `/service/${id}/sms-sender`, { sms_sender: 'LATER', is_default: true });
      expect(made.status).toBe(201);
      const rows = await store.db
        .selectFrom('service_sms_senders')
        .select(['sms_sender', 'is_default'])
        .where('service_id', '=', id)
        .orderBy('created_at')
        .execute();
      expect(rows).toMatchObject([{ is_default: false }, { sms_sender: 'LATER', is_default: true }]);
    }
  });

  it('that nothing announced is copied, too', async () => {
    const [main, store] = harness.app.stores.all as [App, App];
    const nameIn = async ({ db }: App) => {
      const row = db
        .selectFrom('services')
        .select('name')
        .where('id', '=', senders[0]?.id ?? '');
      return (await row.executeTakeFirstOrThrow()).name;
    };
    harness.app.configurationCopies.start();
    try {
      for (const name of ['First', 'Second']) {
        await main.db
          .updateTable('services')
          .set({ name })
          .where('id', '=', senders[0]?.id ?? '')
          .execute();
        await expect.poll(() => nameIn(store), { timeout: 5_000 }).toBe(name);
      }
    } finally {
      await harness.app.configurationCopies.stop();
    }
  });

  it('is made in other stores although one is away, whose services alone get a 503', async () => {
    const [main, away] = harness.app.stores.all as [App, App];
    const ids: string[] = [];
    for (const sender of senders) ids.push((await send(sender)).body.id);
    const sandbox = sandboxTexts.open({ ...main, settings: { receipts: 'hold', delay_ms: 0 } });
    const text = { to: '447700900123', sender: 'Us', text: 'Hello', encoding: 'gsm7', international: false } as const;
    const name = (await sql<{ name: string }>`select current_database() as name`.execute(away.db)).rows[0]?.name ?? '';
    await sql`alter database ${sql.ref(name)} allow_connections false`.execute(main.db);
    try {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`.execute(main.db);
      const statuses = [];
      for (const sender of senders) statuses.push((await send(sender)).status);
      expect(statuses).toEqual([201, 503, 201, 201]);
      const handed = await Promise.allSettled(
        senders.map(({ store: { store } }, index) => sandbox.send({ ...text, store, reference: ids[index] ?? '' })),
      );
      expect(handed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      const user = await aUser(harness);
      const changed = await harness.admin('POST', `/user/${user}`, { name: 'New Name' });
      expect(changed.status).toBe(200);
    } finally {
      await sql`alter database ${sql.ref(name)} allow_connections true`.execute(main.db);
    }
  });
});
