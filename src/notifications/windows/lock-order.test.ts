import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { aPlan, planRecipient } from '../../../test/kit/builders/plans.ts';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';

/** Every statement locks notifications, then the queue, then held_messages. In two orders, such pairs would deadlock. */

const harness = useHarness({ now: '2026-11-16T22:00:00Z' });
const { admin } = harness;
let service: string;
let key: string;

beforeEach(async () => {
  service = await aService(harness, { permissions: ['sms', 'email'] });
  key = await anApiKey(harness, service);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const window = { name: 'Daytime', days, from_time: '08:00', until_time: '21:00' };
  const { body } = await admin('POST', `/service/${service}/send-window`, window);
  const times = { sms_window_id: body.data.id, email_window_id: null, time_zone: null };
  expect((await admin('POST', `/service/${service}/sending-times`, times)).status).toBe(204);
});

const actOn = async (id: string, action: 'send-now' | 'cancel-waiting') =>
  (await admin('POST', `/service/${service}/notifications/${id}/${action}`)).status;

/** Runs `first`, then `second`, while the row of the message in `table` is locked, and both while it is not. Returns their statuses. */
async function whileLocked(
  { table, id }: { table: 'notifications' | 'delivery_queue'; id: string },
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<number[]> {
  const holder = await harness.app.pool.connect();
  try {
    await holder.query('begin');
    const column = table === 'notifications' ? 'id' : 'notification_id';
    await holder.query(`select 1 from ${table} where ${column} = $1 for update`, [id]);
    const statuses = [first()];
    await untilWaiting(1);
    statuses.push(second());
    await untilWaiting(2);
    await holder.query('commit');
    return await Promise.all(statuses);
  } finally {
    holder.release();
  }
}

async function untilWaiting(count: number): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const { rows } = await harness.app.pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length >= count) return;
    await sleep(20);
  }
  throw new Error(`Not ${count} sessions wait for a lock`);
}

it('a message that is sent now and cancelled at once', async () => {
  const template_id = await aTemplate(harness, service, { content: 'Hello' });
  const { body } = await harness.v2('POST', '/v2/notifications/sms', key, { phone_number: '07700900123', template_id });
  const { id } = body;
  const statuses = await whileLocked(
    { table: 'notifications', id },
    () => actOn(id, 'send-now'),
    () => actOn(id, 'cancel-waiting'),
  );
  expect(statuses.toSorted()).toEqual([204, 400]);
});

it('the step of a channel plan that is sent now while its message is cancelled', async () => {
  const plan_id = await aPlan(harness, service, [{ channel: 'sms' }, { channel: 'email' }]);
  const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' } };
  const { body } = await harness.v2('POST', '/v2/messages', key, request);
  await harness.deliver();
  const started = await harness.v2('GET', `/v2/messages/${body.id}`, key);
  const id = started.body.steps[0].notification_id;
  const statuses = await whileLocked(
    { table: 'delivery_queue', id },
    () => actOn(id, 'send-now'),
    async () => (await harness.v2('POST', `/v2/messages/${body.id}/cancel`, key)).status,
  );
  expect(statuses).toEqual([204, 200]);
  const read = await harness.v2('GET', `/v2/notifications/${id}`, key);
  expect(read.body.status).toBe('cancelled');
});
