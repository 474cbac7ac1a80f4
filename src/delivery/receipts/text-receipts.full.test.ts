import { afterAll, describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf, queueOf } from '../../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { receiptPathOf, startStubGateways } from '../../../test/kit/vendors/stub-gateways.ts';
import type { NewNotification } from '../../notifications/notification.ts';
import { timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';
import { twilioSignature } from '../providers/sms/twilio.ts';

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: { providers: { sandbox: { receipts: 'hold' }, twilio: { authToken: 'twilio-token' } } },
});
const real = await startStubGateways();
afterAll(() => real.close());
const unknownId = '6ce466d0-fd6a-11e5-82f5-e0accb9d11a6';

async function aSentMessage(fields: Partial<NewNotification> = {}): Promise<string> {
  const id = await aQueuedMessage(harness, await aService(harness), fields);
  await harness.deliver();
  return id;
}

const mmg = (body: unknown) =>
  harness.request({ method: 'POST', url: '/notifications/sms/mmg', payload: JSON.stringify(body) });
const firetext = (fields: Record<string, string>) =>
  harness.request({
    method: 'POST',
    url: '/notifications/sms/firetext',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });

describe('POST /notifications/sms/mmg', () => {
  it.each([
    ['2', 'permanent-failure'],
    ['3', 'delivered'],
    ['4', 'temporary-failure'],
    ['5', 'permanent-failure'],
    ['42', 'technical-failure'],
    [3, 'delivered'],
    [0, 'technical-failure'],
  ])('200, status %s is %s', async (status, expected) => {
    const id = await aSentMessage();
    const response = await mmg({ status, CID: id, MSISDN: '447700900123', deliverytime: '2026-11-15 12:00:05' });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ result: 'success' });
    expect((await messageOf(harness, id)).status).toBe(expected);
  });

  it.each([
    [{}, ['MMG callback failed: status missing', 'MMG callback failed: CID missing']],
    [{ status: '3' }, ['MMG callback failed: CID missing']],
    [{ CID: unknownId }, ['MMG callback failed: status missing']],
    [{ status: '', CID: unknownId }, ['MMG callback failed: status missing']],
    [{ status: null, CID: '' }, ['MMG callback failed: status missing', 'MMG callback failed: CID missing']],
  ])('400 when a field is missing: %j', async (body, message) => {
    const response = await mmg(body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message });
  });

  it('200, and reads and callbacks of GC Notify say why the text failed', async () => {
    const service = await aService(harness);
    await harness.admin('POST', `/service/${service}`, { api_dialect: 'gc' });
    await harness.app.db
      .insertInto('service_callback_api')
      .values({
        ...{ id: newId(harness.clock.now()), service_id: service, callback_type: 'delivery_status', version: 1 },
        ...{ url: 'https://example.org', encrypted_bearer_token: 'x', created_at: timestamp(harness.clock.now()) },
        updated_by_id: await aUser(harness),
      })
      .execute();
    const key = await anApiKey(harness, service);
    const id = await aQueuedMessage(harness, service);
    const other = await aQueuedMessage(harness, service);
    await harness.deliver();
    await mmg({ status: '5', substatus: '17', CID: id });
    await mmg({ status: '3', substatus: '1', CID: other });
    const read = async (message: string) => (await harness.v2('GET', `/v2/notifications/${message}`, key)).body;
    const said = { status_description: 'No such number', provider_response: 'status 5, substatus 17' };
    expect(await read(id)).toMatchObject(said);
    expect(await read(other)).toMatchObject({ status_description: 'Delivered', provider_response: null });
    const callbacks = await harness.app.db
      .selectFrom('service_callbacks')
      .select('body')
      .where('subject_id', '=', id)
      .execute();
    expect(callbacks.map(({ body }) => JSON.parse(body))).toEqual([expect.objectContaining(said)]);
  });

  it('400 for invalid JSON, a body that is not an object, or an empty body', async () => {
    const url = '/notifications/sms/mmg';
    expect((await harness.request({ method: 'POST', url, payload: 'status=3' })).status).toBe(400);
    expect((await harness.request({ method: 'POST', url, payload: '[1]' })).status).toBe(400);
    expect((await harness.request({ method: 'POST', url })).body.message).toHaveLength(2);
  });

  it.each([unknownId, 'not-an-id', 'nul\u0000'])('200 for the unknown reference %s', async (CID) => {
    expect((await mmg({ status: '3', CID })).status).toBe(200);
  });

  it('200, and a repeated, late or contradictory receipt changes nothing', async () => {
    const id = await aSentMessage();
    await mmg({ status: '3', CID: id });
    harness.clock.advance({ hours: 1 });
    const before = await messageOf(harness, id);
    expect((await mmg({ status: '3', CID: id })).status).toBe(200);
    expect((await mmg({ status: '2', CID: id })).status).toBe(200);
    expect((await mmg({ status: '4', CID: id })).status).toBe(200);
    expect(await messageOf(harness, id)).toEqual(before);
  });

  it('200 for any spelling of the id, and for the content type of a form', async () => {
    const id = await aSentMessage();
    const response = await harness.request({
      method: 'POST',
      url: '/notifications/sms/mmg',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: JSON.stringify({ status: '3', CID: id.toUpperCase() }),
    });
    expect(response.body).toEqual({ result: 'success' });
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it('200, and a waiting or scheduled message is still sent', async () => {
    const service = await aService(harness);
    const waiting = await aQueuedMessage(harness, service);
    const scheduled = '2026-11-15T18:00:00.000000Z';
    const later = await aQueuedMessage(harness, service, { due_at: scheduled, scheduled_for: scheduled });
    for (const id of [waiting, later]) {
      expect((await mmg({ status: '3', CID: id })).body).toEqual({ result: 'success' });
      expect((await firetext({ status: '1', code: '101', reference: id })).body).toEqual({ result: 'success' });
      expect(await messageOf(harness, id)).toMatchObject({ status: 'created', provider: null });
    }
    await harness.deliver();
    expect((await messageOf(harness, waiting)).status).toBe('sending');
    expect((await messageOf(harness, later)).status).toBe('created');
  });

  it('200, and a receipt that arrives before its hand-over is recorded is completed later', async () => {
    const service = await aService(harness);
    const id = await aQueuedMessage(harness, service, { due_at: '2026-12-24T00:00:00.000000Z' });
    await harness.app.db
      .updateTable('delivery_queue')
      .set({ provider: 'sandbox', outcome_known: false })
      .where('notification_id', '=', id)
      .execute();
    await mmg({ status: '3', CID: id });
    expect(await messageOf(harness, id)).toMatchObject({ status: 'delivered', provider: 'sandbox', sent_at: null });
    await harness.deliver();
    const message = await messageOf(harness, id);
    expect(message).toMatchObject({ status: 'delivered', provider: 'sandbox', billable_units: 1 });
    expect(message.sent_at).not.toBeNull();
    expect(await queueOf(harness, id)).toBeUndefined();
    const usage = await harness.app.db
      .selectFrom('daily_usage')
      .select(['provider', 'billable_units', 'notifications_sent'])
      .where('service_id', '=', service)
      .where('billable_units', '>', 0)
      .execute();
    expect(usage).toEqual([{ provider: 'sandbox', billable_units: 1, notifications_sent: 1 }]);
  });

  it('200, and receipts for an email change nothing', async () => {
    const id = await aSentMessage({ notification_type: 'email' });
    await mmg({ status: '3', CID: id });
    expect((await messageOf(harness, id)).status).toBe('sending');
  });

  it.each([
    ['12025550104', 'sent'],
    ['33612345678', 'delivered'],
  ])('200, and a receipt for +%s leaves the message %s', async (number, status) => {
    const id = await aSentMessage({ international: true, normalised_recipient: number });
    expect((await messageOf(harness, id)).status).toBe('sent');
    await mmg({ status: '3', CID: id });
    expect((await messageOf(harness, id)).status).toBe(status);
  });

  it('503 for the receipt of a message that another transaction has locked, 200 for those of others', async () => {
    const locked = await aSentMessage();
    const others = [await aSentMessage(), await aSentMessage(), await aSentMessage()];
    const holder = await harness.app.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from notifications where id = $1 for update', [locked]);
      const waiting = Promise.all([mmg({ status: '3', CID: locked }), mmg({ status: '2', CID: locked })]);
      // Each in its own commit, while the locked one waits.
      for (const id of others) {
        expect((await mmg({ status: '3', CID: id })).status).toBe(200);
        expect((await messageOf(harness, id)).status).toBe('delivered');
      }
      for (const { status, headers } of await waiting) {
        expect([status, headers['retry-after']]).toEqual([503, '1']);
      }
      const late = mmg({ status: '3', CID: locked });
      await holder.query('commit');
      expect((await late).status).toBe(200);
    } finally {
      holder.release();
    }
    expect((await messageOf(harness, locked)).status).toBe('delivered');
  });

  it('200 for many concurrent receipts', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => aSentMessage()));
    const answers = await Promise.all(ids.flatMap((id) => [mmg({ status: 3, CID: id }), mmg({ status: 3, CID: id })]));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const id of ids) expect((await messageOf(harness, id)).status).toBe('delivered');
  });
});

describe('POST /notifications/sms/firetext', () => {
  it.each([
    ['0', undefined, 'delivered'],
    ['1', undefined, 'permanent-failure'],
    ['1', '101', 'permanent-failure'],
    ['1', '201', 'permanent-failure'],
    ['1', '301', 'permanent-failure'],
    ['1', '401', 'permanent-failure'],
    ['1', '000', 'temporary-failure'],
    ['1', '102', 'temporary-failure'],
    ['1', '103', 'temporary-failure'],
    ['1', '104', 'temporary-failure'],
    ['1', '302', 'temporary-failure'],
    ['1', '900', 'temporary-failure'],
    ['1', '555', 'permanent-failure'],
    ['2', undefined, 'pending'],
    ['9', undefined, 'technical-failure'],
  ])('200, status %s with code %s is %s', async (status, code, expected) => {
    const id = await aSentMessage();
    const response = await firetext({ status, reference: id, ...(code ? { code } : {}), time: '2026-11-15 12:00:00' });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ result: 'success' });
    expect((await messageOf(harness, id)).status).toBe(expected);
  });

  it.each([
    [undefined, 'temporary-failure'],
    ['555', 'temporary-failure'],
    ['101', 'permanent-failure'],
  ])('200, a failure with code %s after pending is %s', async (code, expected) => {
    const id = await aSentMessage();
    await firetext({ status: '2', reference: id });
    await firetext({ status: '1', reference: id, ...(code ? { code } : {}) });
    expect((await messageOf(harness, id)).status).toBe(expected);
  });

  it('200, and pending after delivered changes nothing', async () => {
    const id = await aSentMessage();
    await firetext({ status: '0', reference: id });
    await firetext({ status: '2', reference: id });
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it('400 when a field is missing', async () => {
    const response = await firetext({ mobile: '447700900123' });
    expect(response.status).toBe(400);
    expect(response.body).toEqual({
      result: 'error',
      message: ['Firetext callback failed: status missing', 'Firetext callback failed: reference missing'],
    });
    expect((await firetext({ status: '0' })).body.message).toEqual(['Firetext callback failed: reference missing']);
    expect((await firetext({ reference: unknownId })).body.message).toEqual([
      'Firetext callback failed: status missing',
    ]);
  });

  it('200 for an unknown reference', async () => {
    expect((await firetext({ status: '0', reference: 'nobody' })).body).toEqual({ result: 'success' });
  });
});

describe('POST /notifications/sms/twilio', () => {
  const twilio = (id: string, fields: Record<string, string>, signature?: string) => {
    const path = `/notifications/sms/twilio?reference=${id}`;
    return harness.request({
      method: 'POST',
      url: path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature':
          signature ?? twilioSignature('twilio-token', `${harness.app.config.urls.api}${path}`, fields),
      },
      payload: new URLSearchParams(fields).toString(),
    });
  };

  it.each([
    ['queued', undefined, 'sending'],
    ['sent', undefined, 'sending'],
    ['delivered', undefined, 'delivered'],
    ['undelivered', '30005', 'permanent-failure'],
    ['undelivered', '30003', 'temporary-failure'],
    ['undelivered', undefined, 'permanent-failure'],
    ['failed', undefined, 'technical-failure'],
    ['failed', '30008', 'temporary-failure'],
  ])('200, %s with error code %s is %s', async (MessageStatus, code, expected) => {
    const id = await aSentMessage();
    const fields = { MessageSid: 'SM1', MessageStatus, To: '+447700900123', ...(code ? { ErrorCode: code } : {}) };
    expect((await twilio(id, fields)).body).toEqual({ result: 'success' });
    expect((await messageOf(harness, id)).status).toBe(expected);
  });

  it('403 when the signature is wrong or missing', async () => {
    const id = await aSentMessage();
    const fields = { MessageSid: 'SM1', MessageStatus: 'delivered' };
    const response = await twilio(id, fields, 'c2lnbmF0dXJl');
    expect(response.status).toBe(403);
    expect(response.body).toEqual({ result: 'error', message: 'Twilio callback failed: invalid signature' });
    expect((await messageOf(harness, id)).status).toBe('sending');
  });

  it('400 when a field is missing', async () => {
    expect((await twilio(unknownId, { To: '+44' })).body.message).toEqual([
      'Twilio callback failed: MessageStatus missing',
      'Twilio callback failed: MessageSid missing',
    ]);
  });
});

describe('with real gateways', () => {
  const outside = useHarness({
    now: '2026-11-15T12:00:00Z',
    config: {
      sms: { providers: ['mmg', 'firetext'] },
      providers: {
        mmg: { url: `${real.url}/mmg`, apiKey: 'x' },
        firetext: { url: `${real.url}/firetext`, apiKey: 'x' },
      },
    },
  });

  async function aMessageAt(gateway: 'mmg' | 'firetext'): Promise<string> {
    real.answer = (request) => (request.gateway === gateway ? 'accept' : { status: 500 });
    const id = await aQueuedMessage(outside, await aService(outside));
    await outside.deliver();
    expect(await messageOf(outside, id)).toMatchObject({ status: 'sending', provider: gateway });
    return id;
  }
  const post = (url: string, fields: Record<string, string>) =>
    outside.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: url.includes('mmg') ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
    });
  const statusOf = async (id: string) => (await messageOf(outside, id)).status;

  it('200, and a receipt counts only at the secret URL of its message', async () => {
    const id = await aMessageAt('mmg');
    const other = await aMessageAt('mmg');
    const named = receiptPathOf(real.sentTo(id).at(-1));
    const wrong = ['/notifications/sms/mmg', '/notifications/sms/mmg?token=', receiptPathOf(real.sentTo(other).at(-1))];
    for (const url of wrong) {
      expect((await post(url, { status: '3', CID: id })).body).toEqual({ result: 'success' });
      expect(await statusOf(id)).toBe('sending');
    }
    await post(named, { status: '3', CID: id.toUpperCase() });
    expect(await statusOf(id)).toBe('delivered');
  });

  it('200, and the receipt of another gateway changes nothing', async () => {
    const id = await aMessageAt('firetext');
    const token = new URL(String(real.sentTo(id).at(-1)?.fields.receipt)).search;
    for (const url of ['/notifications/sms/mmg', `/notifications/sms/mmg${token}`]) {
      expect((await post(url, { status: '5', CID: id })).body).toEqual({ result: 'success' });
      expect(await statusOf(id)).toBe('sending');
    }
    await post(receiptPathOf(real.sentTo(id).at(-1)), { status: '0', reference: id });
    expect(await statusOf(id)).toBe('delivered');
  });

  it('200 at the URL without a token if SMS_RECEIPT_TOKENS is false', async () => {
    const id = await aMessageAt('mmg');
    outside.app.config.sms.receiptTokens = false;
    await post('/notifications/sms/mmg', { status: '3', CID: id });
    outside.app.config.sms.receiptTokens = true;
    expect(await statusOf(id)).toBe('delivered');
  });

  it('404 for gateways that are not active, whatever the email provider', async () => {
    expect(outside.app.config.email.providers).toEqual(['sandbox']);
    const response = await post('/notifications/sms/twilio', { MessageSid: 'SM1', MessageStatus: 'delivered' });
    expect(response.status).toBe(404);
    expect(response.body.result).toBe('error');
  });
});
