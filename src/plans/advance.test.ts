import type { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { aPlan, changeStepStatus, planRecipient } from '../../test/kit/builders/plans.ts';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { PlanWorker } from './advance.ts';
import { selectLateness } from './plan-outcomes.sql.ts';

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { providers: { sandbox: { receipts: 'hold' } } },
});
let service: string;
let key: string;
let plan_id: string;

beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness);
  key = await anApiKey(harness, service);
  plan_id = await aPlan(harness, service, [{ channel: 'email' }, { channel: 'sms' }, { channel: 'letter' }]);
});

async function accepted(): Promise<string> {
  const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' } };
  const { status, body } = await harness.v2('POST', '/v2/messages', key, request);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id;
}

async function statesOf(id: string): Promise<string[]> {
  const { body } = await harness.v2('GET', `/v2/messages/${id}`, key);
  return [body.status, ...body.steps.map(({ state }: { state: string }) => state)];
}

/** Its email was handed over a day ago, so that the text is to start now. */
async function overdue(): Promise<string> {
  const id = await accepted();
  for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
  harness.clock.advance({ hours: 24 });
  return id;
}

/** Texts go out in the morning, or not for days. */
async function textsFrom(from_time: string, closed_days: string[] = []) {
  const window = { name: 'Mornings', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], until_time: '11:00' };
  const fields = { ...window, from_time, closed_days };
  const { body } = await harness.admin('POST', `/service/${service}/send-window`, fields);
  const times = { sms_window_id: body.data.id, email_window_id: null, time_zone: null };
  expect((await harness.admin('POST', `/service/${service}/sending-times`, times)).status).toBe(204);
}

/** A worker to which something happens once it knows the step that is to start, and before it starts it. */
function interrupted(happens: () => Promise<void>): PlanWorker {
  const { sending } = harness.app;
  let isFirst = true;
  const services = Object.assign(Object.create(sending.services), {
    find: async (id: string) => {
      if (isFirst) await happens();
      isFirst = false;
      return sending.services.find(id);
    },
  });
  return new PlanWorker({ ...harness.app, sending: Object.assign(Object.create(sending), { services }) });
}

const heldRows = () =>
  harness.app.db.selectFrom('held_messages').select('notification_id').where('service_id', '=', service).execute();

describe('an earlier step that is delivered while the next one is about to start', () => {
  const delivered = ['delivered', 'delivered', 'cancelled', 'cancelled'];

  /** Another worker has taken the news before this one goes on. */
  const whileStarting = (id: string) =>
    interrupted(async () => {
      await changeStepStatus(harness, { id, step: 1, status: 'delivered' });
      await harness.app.db.deleteFrom('plan_step_changes').where('message_id', '=', id).execute();
      await harness.app.db
        .updateTable('plan_messages')
        .set({ due_at: '2026-11-17T12:00:00Z', leased_until: null })
        .where('id', '=', id)
        .execute();
    });

  it('ends the message at once: the next one does not start', async () => {
    const id = await overdue();
    await whileStarting(id).runOnce();
    expect(await statesOf(id)).toEqual(delivered);
    const sent = harness.app.db.selectFrom('notifications').select('id').where('service_id', '=', service);
    expect(await sent.execute()).toHaveLength(1);
  });

  it('ends it at once also where the next one would wait for sending times', async () => {
    await textsFrom('08:00', ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21']);
    const id = await overdue();
    await whileStarting(id).runOnce();
    expect(await statesOf(id)).toEqual(delivered);
  });

  it('ends it at once also where the next one would be skipped', async () => {
    const id = await overdue();
    expect((await harness.admin('POST', `/service/${service}`, { permissions: ['email', 'letter'] })).status).toBe(200);
    await whileStarting(id).runOnce();
    expect(await statesOf(id)).toEqual(delivered);
  });
});

describe('a step that cannot start', () => {
  it('is as late as its deadline is past, however often it is tried; then it starts once', async () => {
    const id = await overdue();
    const failing = interrupted(() => Promise.reject(new Error('No connection')));
    const late = () => selectLateness(harness.app.db, harness.clock.now().toISOString());
    for (const minutes of [0, 4, 8, 12]) {
      expect(await late()).toBe(minutes * 60);
      await failing.runOnce();
      harness.clock.advance({ minutes: 4 });
    }
    expect(await statesOf(id)).toEqual(['in-progress', 'expired', 'waiting', 'waiting']);
    await new PlanWorker(harness.app).runOnce();
    expect(await statesOf(id)).toEqual(['in-progress', 'expired', 'sent', 'waiting']);
    expect(await late()).toBe(0);
  });

  it('is not tried again while a worker may still hold it', async () => {
    await overdue();
    let tries = 0;
    const failing = interrupted(async () => {
      tries += 1;
      throw new Error('No connection');
    });
    for (let turn = 0; turn < 3; turn += 1) await failing.runOnce();
    expect(tries).toBe(1);
    harness.clock.advance({ seconds: 30 });
    await failing.runOnce();
    expect(tries).toBe(2);
  });
});

describe('a worker that has not heard of a new template version yet', () => {
  it('sends it all the same', async () => {
    const other = await harness.anotherProcess();
    const worker = new PlanWorker(other.app);
    await accepted();
    await worker.runOnce();
    // From here on it hears of no change.
    const listener = other.app.changeListener as unknown as { client: EventEmitter };
    listener.client.removeAllListeners('notification');
    const { data } = (await harness.admin('GET', `/service/${service}/channel-plan/${plan_id}`)).body;
    const change = { content: 'News for ((name))', created_by: data.created_by_id };
    const template = `/service/${service}/template/${data.steps[0].template_id}`;
    expect((await harness.admin('POST', template, change)).status).toBe(200);
    const id = await accepted();
    await worker.runOnce();
    expect((await statesOf(id)).slice(0, 2)).toEqual(['in-progress', 'sent']);
  });
});

describe('a step that waits for its sending times', () => {
  it('leaves the list of what waits when it is not needed any more, or cancelled', async () => {
    await textsFrom('08:00');
    const [late, cancelled] = [await overdue(), await accepted()];
    await harness.deliver();
    await harness.deliver();
    expect(await statesOf(late)).toEqual(['in-progress', 'expired', 'sent', 'waiting']);
    await changeStepStatus(harness, { id: cancelled, step: 1, status: 'permanent-failure' });
    await harness.deliver();
    expect(await heldRows()).toHaveLength(2);
    await changeStepStatus(harness, { id: late, step: 1, status: 'delivered' });
    await harness.deliver();
    expect(await statesOf(late)).toEqual(['delivered', 'delivered', 'cancelled', 'cancelled']);
    expect(await heldRows()).toHaveLength(1);
    expect((await harness.v2('POST', `/v2/messages/${cancelled}/cancel`, key)).status).toBe(200);
    expect(await heldRows()).toEqual([]);
  });
});
