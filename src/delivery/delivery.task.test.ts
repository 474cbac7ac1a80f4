import { describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf } from '../../test/kit/builders/queued-messages.ts';
import { aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import type { NewNotification } from '../notifications/notification.ts';
import { later, timestamp } from '../platform/clock.ts';
import { findLostMessages, timeOutMessages } from './sweeps.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { providers: { sandbox: { receipts: 'hold' } } } });

async function run(task: string): Promise<void> {
  await harness.addTask(task);
  await harness.runTasks();
}

async function aSentMessage(fields: Partial<NewNotification> = {}): Promise<string> {
  const id = await aQueuedMessage(harness, await aService(harness), fields);
  await harness.deliver();
  return id;
}

describe('messages without a receipt', () => {
  it.each([
    ['across the end of summer time', '2026-10-24T00:30:00Z'],
    ['in the middle of winter', '2026-12-10T09:30:00Z'],
    ['across the beginning of summer time', '2027-03-27T00:30:00Z'],
  ])('become temporary failures after 72 hours, %s', async (_when, start) => {
    harness.clock.set(start);
    const text = await aSentMessage();
    const email = await aSentMessage({ notification_type: 'email' });
    const abroad = await aSentMessage({ international: true, normalised_recipient: '33612345678' });
    harness.clock.advance({ hours: 71, minutes: 59 });
    await run('time-out-messages');
    expect((await messageOf(harness, text)).status).toBe('sending');
    harness.clock.advance({ minutes: 2 });
    await run('time-out-messages');
    expect(await messageOf(harness, text)).toMatchObject({
      status: 'temporary-failure',
      updated_at: timestamp(harness.clock.now()),
    });
    expect((await messageOf(harness, email)).status).toBe('temporary-failure');
    // An international message is sent: it needs no receipt.
    expect((await messageOf(harness, abroad)).status).toBe('sent');

    const payload = JSON.stringify({ status: '3', CID: text });
    await harness.request({ method: 'POST', url: '/notifications/sms/mmg', payload });
    expect((await messageOf(harness, text)).status).toBe('temporary-failure');
  });

  it('time out 72 hours after a late hand-over', async () => {
    harness.clock.set('2027-05-01T12:00:00Z');
    const service = await aService(harness);
    const due_at = '2027-05-02T12:00:00.000000Z';
    const scheduled = await aQueuedMessage(harness, service, { scheduled_for: due_at, due_at });
    harness.clock.set('2027-05-02T12:00:01Z');
    await harness.deliver();
    expect((await messageOf(harness, scheduled)).status).toBe('sending');
    for (const [moment, status] of [
      ['2027-05-04T12:05:00Z', 'sending'],
      ['2027-05-05T11:59:00Z', 'sending'],
      ['2027-05-05T12:01:00Z', 'temporary-failure'],
    ] as const) {
      harness.clock.set(moment);
      await run('time-out-messages');
      expect((await messageOf(harness, scheduled)).status, moment).toBe(status);
    }
  });

  it('time out if they were handed over after the sweep passed their acceptance', async () => {
    harness.clock.set('2027-05-10T12:00:00Z');
    const due_at = '2027-05-13T13:00:00.000000Z';
    const retried = await aQueuedMessage(harness, await aService(harness), {
      scheduled_for: '2027-05-11T12:00:00.000000Z',
      due_at,
    });
    harness.clock.set('2027-05-13T12:30:00Z');
    await run('time-out-messages');
    harness.clock.set('2027-05-13T13:00:01Z');
    await harness.deliver();
    expect((await messageOf(harness, retried)).status).toBe('sending');
    for (const [moment, status] of [
      ['2027-05-16T12:55:00Z', 'sending'],
      ['2027-05-16T13:05:00Z', 'temporary-failure'],
    ] as const) {
      harness.clock.set(moment);
      await run('time-out-messages');
      expect((await messageOf(harness, retried)).status, moment).toBe(status);
    }
  });

  it('are ended in small batches', async () => {
    harness.clock.set('2027-05-20T12:00:00Z');
    const ids: string[] = [];
    for (let made = 0; made < 7; made += 1) {
      ids.push(await aSentMessage());
      harness.clock.advance({ minutes: 1 });
    }
    harness.clock.advance({ hours: 80 });
    await timeOutMessages(harness.app, 3);
    for (const id of ids) expect((await messageOf(harness, id)).status).toBe('temporary-failure');
  });

  it('become technical failures after five days if never handed over, with a callback', async () => {
    harness.clock.set('2027-05-25T12:00:00Z');
    const service = await aService(harness);
    const response = await harness.admin('POST', `/service/${service}/callback-api`, {
      url: 'https://example.org/receipts',
      bearer_token: 'a-token-of-the-receiver',
      updated_by_id: await aUser(harness),
      callback_type: 'delivery_status',
    });
    expect(response.status).toBe(201);
    const id = await aQueuedMessage(harness, service, { lane: null });
    for (const [days, status] of [
      [4, 'created'],
      [2, 'technical-failure'],
    ] as const) {
      harness.clock.advance({ days });
      await run('time-out-messages');
      expect((await messageOf(harness, id)).status).toBe(status);
    }
    const callbacks = await harness.app.db
      .selectFrom('service_callbacks')
      .select('body')
      .where('subject_id', '=', id)
      .execute();
    expect(callbacks.map(({ body }) => JSON.parse(body).status)).toEqual(['technical-failure']);
  });

  it('are ended once by concurrent processes, and after days of downtime', async () => {
    harness.clock.set('2027-06-01T12:00:00Z');
    const ids = [await aSentMessage()];
    harness.clock.advance({ days: 2 });
    ids.push(await aSentMessage());
    harness.clock.advance({ days: 4 });
    await Promise.all([run('time-out-messages'), run('time-out-messages'), run('time-out-messages')]);
    await run('time-out-messages');
    for (const id of ids) expect((await messageOf(harness, id)).status).toBe('temporary-failure');
  });
});

describe('messages missing from the queue', () => {
  it('are queued after an hour; others do not change', async () => {
    harness.clock.set('2027-07-01T12:00:00Z');
    const service = await aService(harness);
    const lost = await aQueuedMessage(harness, service, { lane: null });
    const tomorrow = '2027-07-02T10:00:00.000000Z';
    const scheduled = await aQueuedMessage(harness, service, { scheduled_for: tomorrow, due_at: tomorrow });
    const places = async () =>
      (await harness.app.db.selectFrom('delivery_queue').select(['notification_id', 'due_at']).execute()).filter(
        ({ notification_id }) => [lost, scheduled].includes(notification_id),
      );
    await run('find-lost-messages');
    expect(await places()).toEqual([{ notification_id: scheduled, due_at: tomorrow }]);
    harness.clock.advance({ hours: 2 });
    await run('find-lost-messages');
    const now = timestamp(harness.clock.now());
    expect(await places()).toEqual(
      expect.arrayContaining([
        { notification_id: lost, due_at: now },
        { notification_id: scheduled, due_at: tomorrow },
      ]),
    );
    expect(harness.logged.some((line) => line.includes('Messages missing from the queue'))).toBe(true);
    await harness.deliver();
    expect((await messageOf(harness, lost)).status).toBe('sending');
  });
});

describe.each([
  ['find-lost-messages', findLostMessages],
  ['time-out-messages', timeOutMessages],
])('%s', (_, sweep) => {
  it('ends, although messages become old enough while it runs', async () => {
    await aQueuedMessage(harness, await aService(harness));
    let reads = 0;
    const now = () => {
      reads += 1;
      if (reads > 50) throw new Error('The sweep does not end');
      return later(harness.clock.now(), reads * 10);
    };
    await sweep({ ...harness.app, clock: { now } });
    expect(reads).toBe(1);
  });
});

describe('the queue', () => {
  it('a warning is logged when messages have been due for minutes', async () => {
    await aQueuedMessage(harness, await aService(harness));
    harness.clock.advance({ minutes: 6 });
    await run('check-delivery-queue');
    expect(harness.logged.some((line) => line.includes('Messages have been due for too long'))).toBe(true);
  });
});
