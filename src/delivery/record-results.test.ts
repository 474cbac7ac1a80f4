import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf, queueOf } from '../../test/kit/builders/queued-messages.ts';
import { aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { DeliveryQueueReader } from '../notifications/queue/delivery-queue.ts';
import { extendLeases, type QueuedNotification } from '../notifications/queue/leases.shared.sql.ts';
import { later, timestamp } from '../platform/clock.ts';
import type { Result } from './deliver.ts';
import { type Recording, recordResults } from './record-results.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const aWorker = (channel: 'sms' | 'email' = 'sms') => new DeliveryQueueReader(channel, randomUUID());

async function lease(reader: DeliveryQueueReader): Promise<QueuedNotification[]> {
  const now = harness.clock.now();
  reader.pollSoon();
  return reader.lease(harness.app.db, {
    max: 10,
    maxBulk: 10,
    now,
    lease_ms: 8_000,
    takeOverUntil: timestamp(now),
    draw: () => ({ home: ['sandbox'], abroad: [] }),
  });
}

function record(reader: DeliveryQueueReader, ...results: Result[]): Promise<Recording[]> {
  return recordResults(harness.app, reader.worker, results, harness.clock.now());
}

function accepted(queued: QueuedNotification): Result {
  const change = {
    id: queued.id,
    status: 'sending',
    event: 'handedOver',
    sent_at: harness.clock.now(),
    billable_units: 1,
    provider: 'sandbox',
  } as const;
  return { queued, change, provider: 'sandbox', outcome: 'accepted' };
}

async function leased(reader: DeliveryQueueReader): Promise<QueuedNotification> {
  const [queued] = await lease(reader);
  if (!queued) throw new Error('Nothing was leased');
  return queued;
}

describe('a result', () => {
  it('queues a message again with its new state, or removes it from the queue', async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    const reader = aWorker();
    const due_at = later(harness.clock.now(), 300_000);
    await record(reader, { queued: await leased(reader), later: { due_at, attempts: 1, outcome_known: true } });
    expect(await queueOf(harness, id)).toMatchObject({
      due_at: timestamp(due_at),
      leased_by: null,
      attempts: 1,
      provider: 'sandbox',
      outcome_known: true,
    });
    harness.clock.advance({ minutes: 5 });
    const again = await leased(reader);
    expect(again).toMatchObject({ id, attempts: 1, outcome_known: true });
    expect(await record(reader, accepted(again))).toEqual(['recorded']);
    expect(await queueOf(harness, id)).toBeUndefined();
    expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider: 'sandbox' });
  });

  it('of a stalled worker does not change messages that another worker holds', async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    const [stalled, other] = [aWorker(), aWorker()];
    const first = await leased(stalled);
    harness.clock.advance({ seconds: 9 });
    const second = await leased(other);
    expect(second.id).toBe(id);
    const before = [await queueOf(harness, id), await messageOf(harness, id)];
    const due_at = later(harness.clock.now(), 60_000);
    expect(await extendLeases(harness.app.db, stalled.worker, [id], 60_000)).toMatchObject({ ids: [] });
    expect(await record(stalled, accepted(first))).toEqual(['lost']);
    expect(await record(stalled, { queued: first, later: { due_at, attempts: 9, outcome_known: true } })).toEqual([
      'lost',
    ]);
    const givenUp = { id, status: 'technical-failure', event: 'givenUp' } as const;
    expect(await record(stalled, { queued: first, change: givenUp })).toEqual(['lost']);
    expect([await queueOf(harness, id), await messageOf(harness, id)]).toEqual(before);
    expect(await record(other, accepted(second))).toEqual(['recorded']);
    expect(await record(stalled, accepted(first))).toEqual(['lost']);
    expect((await messageOf(harness, id)).status).toBe('sending');
  });

  it('of an email whose recipient the mail server refuses suppresses the address, if the message is still held', async () => {
    const service = await aService(harness, { permissions: ['email', 'suppress_recipients'] });
    const id = await aQueuedMessage(harness, service, { notification_type: 'email' });
    const [stalled, other] = [aWorker('email'), aWorker('email')];
    const refused = (queued: QueuedNotification): Result => ({
      ...{ queued, provider: 'sandbox', outcome: 'refused' },
      change: { id: queued.id, status: 'permanent-failure', event: 'givenUp', provider: 'sandbox', billable_units: 0 },
    });
    const list = () =>
      harness.app.db
        .selectFrom('suppressed_recipients')
        .select(['email_address', 'reason', 'notification_id'])
        .where('service_id', '=', service)
        .execute();
    const first = await leased(stalled);
    harness.clock.advance({ seconds: 9 });
    const second = await leased(other);
    await record(stalled, refused(first));
    expect(await list()).toEqual([]);
    await record(other, refused(second));
    expect((await messageOf(harness, id)).status).toBe('permanent-failure');
    expect(await list()).toEqual([{ email_address: 'ada@example.org', reason: 'hard-bounce', notification_id: id }]);
  });

  it('after its receipt keeps the status of the receipt and adds the data of the hand-over', async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    const reader = aWorker();
    const queued = await leased(reader);
    await harness.request({
      method: 'POST',
      url: '/notifications/sms/mmg',
      payload: JSON.stringify({ status: '3', CID: id }),
    });
    expect(await messageOf(harness, id)).toMatchObject({ status: 'delivered', sent_at: null });
    const updated_at = (await messageOf(harness, id)).updated_at;
    harness.clock.advance({ seconds: 1 });
    await record(reader, accepted(queued));
    const message = await messageOf(harness, id);
    expect(message).toMatchObject({ status: 'delivered', billable_units: 1, provider: 'sandbox', updated_at });
    expect(message.sent_at).not.toBeNull();
    expect(await queueOf(harness, id)).toBeUndefined();
  });
});
