import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf, someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { aVerifiedDomain } from '../../../test/kit/builders/sending-domains.ts';
import { FakeDns } from '../../../test/kit/fakes/fake-dns.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { recordResults } from '../../delivery/record-results.ts';
import { timestamp } from '../../platform/clock.ts';
import { DeliveryQueueReader } from '../queue/delivery-queue.ts';
import { addUpChanges } from '../rollups/rollups.ts';

const dns = new FakeDns();
const harness = useHarness({
  now: '2026-11-17T12:30:00Z',
  resolver: dns,
  config: { providers: { sandbox: { receipts: 'hold' }, ses: { verifySignatures: false } } },
});

const event = (id: string, fields: object) =>
  harness.request({
    method: 'POST',
    url: '/notifications/email/ses',
    payload: JSON.stringify({ mail: { messageId: id, timestamp: harness.clock.now().toISOString() }, ...fields }),
  });
const bounce = (id: string, bounceType = 'Permanent', diagnosticCode?: string) =>
  event(id, { notificationType: 'Bounce', bounce: { bounceType, bouncedRecipients: [{ diagnosticCode }] } });
const complain = (id: string, feedbackId = 'f') =>
  event(id, { notificationType: 'Complaint', complaint: { feedbackId } });

async function outcomesOf(service_id: string) {
  await addUpChanges(harness.app.db);
  const rows = await harness.app.db
    .selectFrom('email_outcomes')
    .select(['hour', 'sent', 'hard_bounces', 'soft_bounces', 'complaints'])
    .where('service_id', '=', service_id)
    .orderBy('hour')
    .execute();
  return rows.map(({ hour, sent, hard_bounces, soft_bounces, complaints }) => [
    hour.slice(0, 16),
    ...[sent, hard_bounces, soft_bounces, complaints],
  ]);
}

/** Emails that were handed over now. */
async function sentEmails(service: string, count: number, fields: { key_type?: 'normal' | 'team' | 'test' } = {}) {
  const email = { notification_type: 'email' as const, ...fields };
  const ids = await someQueuedMessages(harness, service, new Array(count).fill(email));
  await harness.deliver();
  return ids;
}

const hours = (count: number) => harness.clock.advance({ minutes: count * 60 });

describe('the outcomes of emails', () => {
  it('are counted by the hour of the hand-over, whenever the report comes', async () => {
    const service = await aService(harness);
    const [a = '', b = '', c = ''] = await sentEmails(service, 4);
    hours(2);
    await sentEmails(service, 1);
    await bounce(a);
    await bounce(b, 'Transient');
    hours(24 * 6);
    await complain(c);
    expect(await outcomesOf(service)).toEqual([
      ['2026-11-17T12:00', 4, 1, 1, 1],
      ['2026-11-17T14:00', 1, 0, 0, 0],
    ]);
  });

  it('have a bounce and a complaint once for each email, however often and by which way they are reported', async () => {
    const service = await aService(harness);
    const [a = '', b = ''] = await sentEmails(service, 2);
    const first = await outcomesOf(service);
    for (let times = 0; times < 3; times += 1) await bounce(a);
    await bounce(a, 'Transient');
    for (const feedback of ['f', 'f', 'g']) await complain(b, feedback);
    const [[hour, sent] = []] = first;
    expect(await outcomesOf(service)).toEqual([[hour, sent, 1, 0, 1]]);
    expect(sent).toBe(2);
  });

  it.each([
    ['smtp; 550 5.1.1 no such user', [1, 1, 0, 0]],
    ['smtp; 550 5.7.26 This mail is unauthenticated', [1, 0, 1, 0]],
  ])('have a bounce whose report came before the hand-over was recorded: %s', async (diagnosis, expected) => {
    const service = await aService(harness);
    const id = await aQueuedMessage(harness, service, { notification_type: 'email' });
    await harness.app.db
      .updateTable('delivery_queue')
      .set({ provider: 'sandbox', outcome_known: false })
      .where('notification_id', '=', id)
      .execute();
    await bounce(id, 'Permanent', diagnosis);
    expect((await messageOf(harness, id)).status).toBe('permanent-failure');
    expect(await outcomesOf(service)).toEqual([]);
    await harness.deliver();
    const [[, ...counts] = []] = await outcomesOf(service);
    expect(counts).toEqual(expected);
  });

  it('are of the sending domain that the emails came from, also when the service has another one by then', async () => {
    const service = await aService(harness);
    const ofDomains = async () => {
      await addUpChanges(harness.app.db);
      const columns = ['domain_id', 'sent', 'hard_bounces', 'soft_bounces', 'complaints'] as const;
      const rows = harness.app.db.selectFrom('email_outcomes').select(columns).where('service_id', '=', service);
      const found = await rows.orderBy('hour').execute();
      return found.map((row) => columns.map((column) => row[column]));
    };
    const [early = ''] = await sentEmails(service, 1);
    hours(1);
    const fields = { scope: 'service', service_id: service, name: 'notify.council.example' };
    const domain = await aVerifiedDomain(harness, dns, fields);
    const [a = '', b = '', c = ''] = await sentEmails(service, 4);
    await bounce(a);
    expect(await ofDomains()).toEqual([
      [null, 1, 0, 0, 0],
      [domain.id, 4, 1, 0, 0],
    ]);
    await bounce(early);
    expect((await harness.admin('DELETE', `/sending-domain/${domain.id}`)).status).toBe(204);
    hours(1);
    await sentEmails(service, 1);
    await bounce(b, 'Transient');
    await complain(c);
    expect(await ofDomains()).toEqual([
      [null, 1, 1, 0, 0],
      [domain.id, 4, 1, 1, 1],
      [null, 1, 0, 0, 0],
    ]);
  });

  it.each([
    ['permanent-failure', [1, 1, 0, 0]],
    ['temporary-failure', [1, 0, 1, 0]],
    ['technical-failure', undefined],
  ] as const)('have an email that the mail server refused at once with %s', async (status, expected) => {
    const service = await aService(harness);
    const id = await aQueuedMessage(harness, service, { notification_type: 'email' });
    const reader = new DeliveryQueueReader('email', randomUUID());
    const now = harness.clock.now();
    const draw = () => ({ home: ['sandbox'], abroad: [] });
    const order = { max: 10, maxBulk: 10, now, lease_ms: 8_000, takeOverUntil: timestamp(now), draw };
    const [queued] = await reader.lease(harness.app.db, order);
    if (!queued) throw new Error('Nothing was leased');
    const change = { id, status, event: 'givenUp', provider: 'sandbox' } as const;
    await recordResults(harness.app, reader.worker, [{ queued, change, provider: 'sandbox', outcome: 'refused' }], now);
    const [outcome] = await outcomesOf(service);
    expect(outcome?.slice(1)).toEqual(expected);
  });

  it('have no hard bounce of which the receiver blames the sender, and keep its address off the suppression list', async () => {
    const service = await aService(harness, { permissions: ['email', 'sms', 'suppress_recipients'] });
    const [ours = '', theirs = ''] = await sentEmails(service, 2);
    const permanent = (diagnosticCode: string) => ({
      notificationType: 'Bounce',
      bounce: { bounceType: 'Permanent', bouncedRecipients: [{ diagnosticCode }] },
    });
    await event(ours, permanent('smtp; 550 5.7.26 This mail is unauthenticated [192.0.2.7]'));
    const list = async () =>
      (await harness.admin('GET', `/service/${service}/suppression-list`)).body.suppressed_recipients;
    expect(await list()).toEqual([]);
    await event(theirs, permanent('smtp; 550 5.1.1 no such user'));
    expect((await messageOf(harness, ours)).status).toBe('permanent-failure');
    const [[, ...counts] = []] = await outcomesOf(service);
    expect(counts).toEqual([2, 1, 1, 0]);
    expect(await list()).toHaveLength(1);
  });

  it('leave out test keys, texts, test recipients and suppressed recipients', async () => {
    const service = await aService(harness, { permissions: ['email', 'sms', 'suppress_recipients'] });
    const [id = ''] = await sentEmails(service, 1, { key_type: 'test' });
    await complain(id);
    await aQueuedMessage(harness, service);
    const key = await anApiKey(harness, service);
    const template_id = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'c' });
    const simulated = 'simulate-delivered@notifications.service.gov.uk';
    const send = (email_address: string) =>
      harness.v2('POST', '/v2/notifications/email', key, { email_address, template_id });
    expect((await send(simulated)).status).toBe(201);
    const { body } = await send('bob@example.org');
    await harness.deliver();
    await bounce(body.id);
    const counted = await outcomesOf(service);
    expect(counted.map(([, ...counts]) => counts)).toEqual([[1, 1, 0, 0]]);
    const rows = [['email address'], [simulated], ['bob@example.org']];
    expect((await harness.v2('POST', '/v2/notifications/bulk', key, { name: 'x', template_id, rows })).status).toBe(
      201,
    );
    await harness.runTasks();
    await harness.deliver();
    expect(await outcomesOf(service)).toEqual(counted);
  });

  it('are of a team key, too, and deleted after 40 days', async () => {
    const service = await aService(harness);
    await sentEmails(service, 1, { key_type: 'team' });
    const [[, sent] = []] = await outcomesOf(service);
    expect(sent).toBe(1);
    hours(24 * 39);
    await harness.addTask('delete-old-records');
    await harness.runTasks();
    expect(await outcomesOf(service)).toHaveLength(1);
    hours(24 * 2);
    await harness.addTask('delete-old-records');
    await harness.runTasks();
    expect(await outcomesOf(service)).toEqual([]);
  });
});
