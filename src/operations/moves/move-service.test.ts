import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { aUser } from '../../../test/kit/builders.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import type { App } from '../../app.ts';
import { addUpChanges } from '../../notifications/rollups/rollup-changes.ts';
import { storeTables } from '../../stores/tables.ts';
import { pausedTasks, runnableTasks, sharedTasks } from '../../tasks.ts';
import { moveService, resumeMoves } from './move-service.ts';
import { movedTables } from './moved-tables.ts';
import { updateState } from './moving-services.sql.ts';
import { selectMoves } from './service-moves.sql.ts';

/** Tables of a store that are not about one service, or that are empty or held when a service is moved. */
const stayingTables: readonly string[] = [
  'arriving_rows',
  // Read from all stores.
  'audit_log',
  // Counted where they happened, and added up over the stores.
  'daily_despatches',
  'daily_processing_time',
  'platform_status_totals',
  'platform_usage_totals',
  'provider_health',
  'provider_health_changes',
  // Moved by way of `held_places`.
  'delivery_queue',
  'held_places',
  'delivery_sweeps',
  'moving_services',
  'queue_workers',
  'schema_migrations',
  'service_changes',
  // Added to the rollups before the switch.
  'status_count_changes',
  'usage_changes',
  'task_runs',
  'this_store',
  // Files without a message are deleted by the store that wrote them.
  'unconfirmed_files',
];

const harness = useHarness({ stores: 2, config: { providers: { sandbox: { delay_ms: 0 } } } });

interface Sender {
  id: string;
  key: string;
  sms: string;
}

let one: Sender;
let two: Sender;
const said: string[] = [];

beforeAll(async () => {
  await aSender('Zero');
  one = await aSender('One');
  two = await aSender('Two');
});

async function aSender(name: string): Promise<Sender> {
  const user_id = await aUser(harness);
  const service = await harness.admin('POST', '/service', {
    ...{ name, user_id, created_by: user_id, active: true, restricted: false, email_from: name.toLowerCase() },
    ...{ email_message_limit: 1_000, sms_message_limit: 1_000, letter_message_limit: 100 },
  });
  const { id } = service.body.data;
  const key = { name: 'key', created_by: user_id, key_type: 'normal' };
  const secret = await harness.admin('POST', `/service/${id}/api-key`, key);
  const template = await harness.admin('POST', `/service/${id}/template`, {
    ...{ name: 'Text', template_type: 'sms', content: 'Hello ((name))', service: id, created_by: user_id },
  });
  return { id, key: `key-${id}-${secret.body.data}`, sms: template.body.data.id };
}

function send({ key, sms }: Sender, fields: object = {}) {
  const body = { template_id: sms, phone_number: '07700900300', personalisation: { name: 'Ada' }, ...fields };
  return harness.v2('POST', '/v2/notifications/sms', key, body);
}

function move(serviceId: string, store: number) {
  const { stores } = harness.app;
  const mover = { stores: stores.all, pausedTasks, sharedTasks, settle_ms: 0, say: (text: string) => said.push(text) };
  return moveService(mover, serviceId, store);
}

const storeNumbered = (number: number) => harness.app.stores.all.find(({ store }) => store === number) as App;

/** How many rows of the service each moved table has in a store. */
async function countRows(serviceId: string, number: number): Promise<Record<string, number>> {
  const { db } = storeNumbered(number);
  const counts: Record<string, number> = {};
  // A process writes rates of the last second to the old store, too: nothing else waits for that here, where nothing settles.
  const tables = movedTables.filter(({ name }) => name !== 'rate_windows');
  for (const { name, parent } of [...tables, { name: 'delivery_queue', parent: undefined }]) {
    const isOfService = parent
      ? sql`${sql.ref(parent.own)} in (select ${sql.ref(parent.column)} from ${sql.table(parent.table)} where service_id = ${serviceId})`
      : sql`service_id = ${serviceId}`;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(name)} where ${isOfService}`.execute(db);
    const count = rows[0]?.count ?? 0;
    if (count > 0) counts[name] = count;
  }
  return counts;
}

async function figures(): Promise<object> {
  const today = '2026-05-20';
  const range = `start_date=${today}&end_date=${today}`;
  const [platform, services, months] = await Promise.all([
    harness.admin('GET', `/platform-stats?${range}`),
    harness.admin('GET', '/service?detailed=True&only_active=False'),
    harness.admin('GET', `/service/monthly-data-by-service?${range}`),
  ]);
  return { platform: platform.body, services: services.body, months: months.body };
}

describe('tables of a store', () => {
  it('are moved with a service or stay, for a stated reason', () => {
    const named = [...movedTables.map(({ name }) => name), ...stayingTables];
    expect(named.sort()).toEqual([...storeTables].sort());
  });
});

describe('moving a service', () => {
  it('takes everything along, counts nothing twice, and the service goes on sending', async () => {
    for (let n = 0; n < 5; n += 1) expect((await send(one)).status).toBe(201);
    await harness.deliver();
    const waiting = await send(one);
    const later = new Date(harness.clock.now().getTime() + 3_600_000).toISOString();
    const scheduled = await send(one, { scheduled_for: later });
    expect([waiting.status, scheduled.status]).toEqual([201, 201]);
    for (const { db } of harness.app.stores.all) await addUpChanges(db);
    const [before, counted] = [await countRows(one.id, 1), await figures()];
    expect(before).toMatchObject({ notifications: 7, delivery_queue: 2 });

    await move(one.id, 2);

    expect(said.find((text) => text.includes('Nothing was accepted'))).toMatch(
      /store 2\. Nothing was accepted for \d+ ms/,
    );
    expect(await countRows(one.id, 1)).toEqual({});
    const after = await countRows(one.id, 2);
    expect(after).toMatchObject({ ...before, notifications: 7, delivery_queue: 2 });
    expect(await figures()).toEqual(counted);
    expect((await harness.app.stores.of(one.id)).store).toBe(2);
    await harness.deliver();
    const found = await harness.v2('GET', `/v2/notifications/${waiting.body.id}`, one.key);
    expect(found.body.status).toBe('delivered');
    const next = await send(one);
    expect(next.status).toBe(201);
    expect((await countRows(one.id, 2)).notifications).toBe(8);
  });

  it('leaves nothing behind that a later write would pay for', async () => {
    for (const { db } of harness.app.stores.all) {
      const { rows } = await sql`select tgname from pg_trigger where tgname like 'follow_move%'`.execute(db);
      expect(rows).toEqual([]);
    }
    expect(await selectMoves(harness.app.db)).toEqual([]);
  });

  it('back again finds messages by ids of either store', async () => {
    const { body } = await send(one);
    await move(one.id, 1);
    await harness.deliver();
    expect((await harness.v2('GET', `/v2/notifications/${body.id}`, one.key)).body.status).toBe('delivered');
    expect(await countRows(one.id, 2)).toEqual({});
  });
});

describe('an interrupted move', () => {
  it('goes on where the service is, and can be continued', async () => {
    const [from, to] = [storeNumbered(2), storeNumbered(0)];
    const { body } = await send(two);
    // As a process that is killed after it closed the service.
    const failing = { stores: harness.app.stores.all, pausedTasks, sharedTasks, settle_ms: 0 };
    const say = (text: string) => {
      if (text.startsWith('Copied')) throw new Error('killed');
    };
    await expect(moveService({ ...failing, say }, two.id, 0)).rejects.toThrow('killed');
    await updateState(from.db, two.id, 'closed');

    const refused = await send(two);
    expect(refused.status).toBe(503);
    expect(refused.body.errors[0].message).toBe('The data is being moved to another database, try again shortly');
    expect((await send(one)).status).toBe(201);
    const paused = runnableTasks(from).find(({ name }) => name === 'apply-retention');
    await expect(paused?.run(undefined)).rejects.toThrow('A service is being moved');

    await resumeMoves(harness.app.stores.all);
    expect((await send(two)).status).toBe(201);
    await harness.deliver();
    expect((await harness.v2('GET', `/v2/notifications/${body.id}`, two.key)).body.status).toBe('delivered');
    expect(await countRows(two.id, 0)).toMatchObject({ notifications: 1 });

    await expect(move(two.id, 1)).rejects.toThrow('is being moved to store 0');
    await move(two.id, 0);
    expect(await countRows(two.id, 2)).toEqual({});
    expect(await countRows(two.id, 0)).toMatchObject({ notifications: 2 });
    expect((await harness.app.stores.of(two.id)).store).toBe(to.store);
  });

  it('is cancelled by naming the store that the service is at home in', async () => {
    const say = () => {
      throw new Error('killed');
    };
    const mover = { stores: harness.app.stores.all, pausedTasks, sharedTasks, settle_ms: 0, say };
    await expect(moveService(mover, two.id, 2)).rejects.toThrow('killed');
    await move(two.id, 0);
    expect(said.at(-1)).toBe('Cancelled: the service stays in store 0.');
    expect(await countRows(two.id, 2)).toEqual({});
    expect((await send(two)).status).toBe(201);
  });
});

describe('changes while rows are copied', () => {
  it('are copied, and receipts change only the message that counts', async () => {
    const stores = harness.app.stores.all;
    const { body } = await send(two);
    const say = (text: string) => {
      if (text.startsWith('Copied')) throw new Error('killed');
    };
    await expect(moveService({ stores, pausedTasks, sharedTasks, settle_ms: 0, say }, two.id, 1)).rejects.toThrow(
      'killed',
    );
    await harness.deliver();
    const [copy] = await statusIn(1, body.id);
    expect(copy).toBe('created');
    expect(await statusIn(0, body.id)).toEqual(['delivered']);
    await move(two.id, 1);
    expect(await statusIn(1, body.id)).toEqual(['delivered']);
    expect(await statusIn(0, body.id)).toEqual([]);
  });
});

async function statusIn(number: number, id: string): Promise<string[]> {
  const rows = await storeNumbered(number)
    .db.selectFrom('notifications')
    .select('status')
    .where('id', '=', id)
    .execute();
  return rows.map(({ status }) => status);
}

describe('bad input', () => {
  it('is refused before anything changes', async () => {
    await expect(move(one.id, 7)).rejects.toThrow('There is no store 7');
    await expect(move('00000000-0000-4000-8000-000000000000', 1)).rejects.toThrow('There is no service');
    await expect(move('d6aa2c68-a2d9-4437-ab19-3ae8eb202553', 1)).rejects.toThrow('stays in the main database');
    await move(one.id, 1);
    expect(said.at(-1)).toBe('The service is at home in store 1.');
    expect(await selectMoves(harness.app.db)).toEqual([]);
  });
});
