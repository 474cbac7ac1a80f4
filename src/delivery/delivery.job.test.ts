import { describe, expect, it } from 'vitest';
import { aService } from '../../test/kit/builders.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { aQueuedMessage, messageOf } from '../../test/kit/queued-messages.ts';
import type { NewNotification } from '../notifications/notification.ts';
import { timestamp } from '../platform/clock.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { SANDBOX_RECEIPTS: 'hold' } });

async function run(job: string): Promise<void> {
  await harness.app.queue.add(harness.app.db, job, {});
  await harness.runJobs();
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
  ])('end as temporary failures after 72 hours, %s', async (_when, start) => {
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
    // What went abroad is sent: no receipt is owed for it.
    expect((await messageOf(harness, abroad)).status).toBe('sent');

    const payload = JSON.stringify({ status: '3', CID: text });
    await harness.request({ method: 'POST', url: '/notifications/sms/mmg', payload });
    expect((await messageOf(harness, text)).status).toBe('temporary-failure');
  });

  it('are found by many processes at once, each once, and after days of standstill', async () => {
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

describe('the queue', () => {
  it('is spoken of when messages wait for minutes', async () => {
    await aQueuedMessage(harness, await aService(harness));
    harness.clock.advance({ minutes: 6 });
    await run('check-delivery-queue');
    expect(harness.logged.some((line) => line.includes('messages wait for too long'))).toBe(true);
  });
});
