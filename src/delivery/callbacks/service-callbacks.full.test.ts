import { createHmac } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { aQueuedMessage, messageOf, someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { anApiKey, anInboundNumber, aService, aUser } from '../../../test/kit/builders/rows.ts';
import { type Harness, useHarness } from '../../../test/kit/harness.ts';
import { startCallbackSink } from '../../../test/kit/vendors/stub-gateways.ts';
import { later, minute_ms, timestamp } from '../../platform/clock.ts';
import { guardedLookup, isInside } from '../../platform/http/networks.ts';
import { newId } from '../../platform/id.ts';
import { type CallbackType, encryptToken } from '../../services/settings/callback-api.ts';
import { buildDelivery } from '../delivery.ts';
import { CallbackSender } from './callback-sender.ts';

const sink = await startCallbackSink();
afterAll(() => sink.close());
beforeEach(() => {
  sink.calls.length = 0;
  sink.answer = () => 204;
});

const config = {
  callbacks: { allowPrivate: true, retryDelays_ms: [5_000, 30_000, 120_000] },
  providers: { sandbox: { delay_ms: 0 }, ses: { verifySignatures: false } },
};
const harness = useHarness({ now: '2026-11-15T12:00:00Z', config });
const token = 'a-bearer-token';

async function aCallback(
  at: Harness,
  service: string,
  url = `${sink.url}/hook`,
  type: CallbackType = 'delivery_status',
) {
  const { app, clock } = at;
  await app.db
    .insertInto('service_callback_api')
    .values({
      id: newId(clock.now()),
      service_id: service,
      callback_type: type,
      url,
      encrypted_bearer_token: encryptToken(app, { service_id: service, callback_type: type }, token),
      updated_by_id: await aUser(at),
      created_at: timestamp(clock.now()),
    })
    .execute();
}

async function aToldService(url?: string): Promise<string> {
  const service = await aService(harness);
  await aCallback(harness, service, url);
  return service;
}

/** The first pass sends the message, the second one takes the receipt and posts the callback. */
async function sendAndTell(service: string, fields: Parameters<typeof aQueuedMessage>[2] = {}): Promise<string> {
  const id = await aQueuedMessage(harness, service, fields);
  await harness.deliver();
  await harness.deliver();
  return id;
}

const history = async (service: string) => (await harness.admin('GET', `/service/${service}/callbacks`)).body.callbacks;

describe('delivery status callbacks', () => {
  it('reach each service, even if many others only wait for a retry', async () => {
    const service = await aToldService();
    const id = await sendAndTell(service);
    const waiting = { url: sink.url, encrypted_bearer_token: 'x', body: '{}', attempts: 1 };
    const due_at = timestamp(new Date('2026-11-15T18:00:00Z'));
    const rows = Array.from({ length: 1_200 }, (_, number) => ({
      ...waiting,
      id: newId(harness.clock.now()),
      service_id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      callback_type: 'delivery_status' as const,
      subject_id: id,
      due_at,
      created_at: timestamp(harness.clock.now()),
    }));
    await harness.app.db.insertInto('service_callbacks').values(rows).execute();
    for (let time = 0; time < 2; time += 1) {
      sink.calls.length = 0;
      await sendAndTell(service);
      expect(sink.calls).toHaveLength(1);
    }
    await harness.app.db.deleteFrom('service_callbacks').where('due_at', '=', due_at).execute();
  });

  it('have the words of GC Notify for a service whose clients are those of GC Notify', async () => {
    const service = await aToldService();
    await harness.admin('POST', `/service/${service}`, { api_dialect: 'gc' });
    await sendAndTell(service);
    const told = JSON.parse(sink.calls[0]?.body ?? '');
    expect(told).toMatchObject({ status: 'delivered', status_description: 'Delivered', provider_response: null });
    expect(Object.keys(told)).toHaveLength(12);
    sink.calls.length = 0;
    await harness.admin('POST', `/service/${service}/callbacks/test`, { callback_type: 'delivery_status' });
    await harness.deliver();
    expect(sink.calls.map(({ body }) => body)).toEqual(['{"health_check":"true"}']);
  });

  it('have the language of the text, if it is not that of the template', async () => {
    const permissions = ['sms', 'email', 'letter', 'template_languages'];
    const service = await aService(harness, { permissions });
    await aCallback(harness, service);
    const made = await harness.admin('POST', `/service/${service}/template`, {
      ...{ name: 'Greeting', template_type: 'sms', content: 'Hello', created_by: await aUser(harness) },
      languages: { default: 'en', variants: [{ language: 'fr', content: 'Bonjour' }] },
    });
    const key = await anApiKey(harness, service);
    const body = { phone_number: '07700900123', template_id: made.body.data.id };
    const tell = async (dialect: string, fields: object) => {
      sink.calls.length = 0;
      await harness.admin('POST', `/service/${service}`, { api_dialect: dialect });
      await harness.v2('POST', '/v2/notifications/sms', key, { ...body, ...fields });
      await harness.deliver();
      await harness.deliver();
      return JSON.parse(sink.calls[0]?.body ?? '');
    };
    expect(await tell('govuk', { language: 'fr' })).toMatchObject({ status: 'delivered', language: 'fr' });
    expect(Object.keys(await tell('govuk', {}))).toHaveLength(10);
    const told = await tell('gc', { language: 'fr' });
    expect(told).toMatchObject({ language: 'fr', provider_response: null });
    expect(Object.keys(told)).toHaveLength(13);
  });

  it('have the token and a signature', async () => {
    const service = await aToldService();
    const id = await sendAndTell(service);
    expect(sink.calls).toHaveLength(1);
    const [call] = sink.calls;
    const message = await messageOf(harness, id);
    expect(JSON.parse(call?.body ?? '')).toEqual({
      id,
      reference: 'your-reference',
      to: '07700 900123',
      status: 'delivered',
      created_at: message.created_at,
      completed_at: message.updated_at,
      sent_at: message.sent_at,
      notification_type: 'sms',
      template_id: message.template_id,
      template_version: 1,
    });
    expect(call?.headers).toMatchObject({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
    const {
      'webhook-id': webhookId,
      'webhook-timestamp': seconds,
      'webhook-signature': signature,
    } = call?.headers ?? {};
    const expected = createHmac('sha256', token).update(`${webhookId}.${seconds}.${call?.body}`).digest('base64');
    expect(signature).toBe(`v1,${expected}`);
    expect(Number(seconds)).toBe(Math.floor(harness.clock.now().getTime() / 1000));
  });

  it('are also signed with the separate signing secret, if there is one', async () => {
    const service = await aToldService();
    const [{ callback_id }] = (await harness.admin('GET', `/service/${service}`)).body.data.service_callback_api;
    const path = `/service/${service}/callback-api/${callback_id}/signing-secret`;
    const updated_by_id = await aUser(harness);
    const { status, body } = await harness.admin('POST', path, { updated_by_id });
    expect(status).toBe(201);
    expect(body).toEqual({ data: { signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) } });
    await sendAndTell(service);
    const [call] = sink.calls;
    const text = `${call?.headers['webhook-id']}.${call?.headers['webhook-timestamp']}.${call?.body}`;
    const signedWith = (key: string | Buffer) => `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
    const key = Buffer.from(body.data.signing_secret.slice('whsec_'.length), 'base64');
    expect(call?.headers['webhook-signature']).toBe(`${signedWith(key)} ${signedWith(token)}`);

    const again = await harness.admin('POST', path, { updated_by_id });
    expect(again.body.data.signing_secret).not.toBe(body.data.signing_secret);
    expect((await harness.admin('DELETE', path)).status).toBe(204);
    expect((await harness.admin('DELETE', path)).status).toBe(404);
    await sendAndTell(service);
    expect(sink.calls[1]?.headers['webhook-signature']).not.toContain(' ');
    expect(harness.logged.join()).not.toContain(body.data.signing_secret);
  });

  it('do not send the token to another host', async () => {
    const service = await aToldService();
    const [{ callback_id }] = (await harness.admin('GET', `/service/${service}`)).body.data.service_callback_api;
    const path = `/service/${service}/callback-api/${callback_id}`;
    const updated_by_id = await aUser(harness);
    await harness.admin('POST', path, { url: `${sink.url}/elsewhere-on-it`, updated_by_id });
    await sendAndTell(service);
    expect(sink.calls[0]?.headers.authorization).toBe(`Bearer ${token}`);

    const moved = sink.url.replace('127.0.0.1', 'localhost');
    expect((await harness.admin('POST', path, { url: `${moved}/hook`, updated_by_id })).status).toBe(200);
    await sendAndTell(service);
    expect(sink.calls).toHaveLength(2);
    expect(sink.calls[1]?.headers).not.toHaveProperty('authorization');
    expect(sink.calls[1]?.headers).not.toHaveProperty('webhook-signature');

    await harness.admin('POST', path, { bearer_token: 'the-token-of-the-new-one', updated_by_id });
    await sendAndTell(service);
    expect(sink.calls[2]?.headers.authorization).toBe('Bearer the-token-of-the-new-one');
  });

  it('are sent for test keys and failures, but not for pending, simulated recipients or hand-over', async () => {
    const service = await aToldService();
    await sendAndTell(service, { key_type: 'test', normalised_recipient: '447700900002' });
    await sendAndTell(service, { normalised_recipient: '447700900003' });
    await sendAndTell(service, { international: true, normalised_recipient: '12025550104' });
    expect(sink.calls.map(({ body }) => JSON.parse(body).status)).toEqual(['permanent-failure', 'temporary-failure']);
  });

  it('are not sent to services without a callback URL', async () => {
    await sendAndTell(await aService(harness));
    expect(sink.calls).toEqual([]);
  });

  it('are sent once, even if the receipt is repeated', async () => {
    const service = await aToldService();
    const id = await sendAndTell(service);
    for (const status of ['3', '2']) {
      const payload = JSON.stringify({ status, CID: id });
      await harness.request({ method: 'POST', url: '/notifications/sms/mmg', payload });
    }
    await harness.deliver();
    expect(sink.calls).toHaveLength(1);
  });

  it.each([500, 503, 429])('are retried after %s, with growing delays and the same id', async (status) => {
    const service = await aToldService();
    sink.answer = () => status;
    await sendAndTell(service);
    expect(sink.calls).toHaveLength(1);
    harness.clock.advance({ seconds: 4 });
    await harness.deliver();
    expect(sink.calls).toHaveLength(1);
    harness.clock.advance({ seconds: 1 });
    await harness.deliver();
    expect(sink.calls).toHaveLength(2);
    harness.clock.advance({ seconds: 30 });
    await harness.deliver();
    sink.answer = () => 200;
    harness.clock.advance({ seconds: 120 });
    await harness.deliver();
    expect(sink.calls).toHaveLength(4);
    expect(new Set(sink.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const [entry] = await history(service);
    expect(entry).toMatchObject({ status: 'delivered', attempts: 4, next_attempt_at: null, url: `${sink.url}/hook` });
    expect(entry.attempt_log.map(({ status_code }: { status_code: number }) => status_code)).toEqual([
      status,
      status,
      status,
      200,
    ]);
  });

  it('fail after the last retry', async () => {
    const service = await aToldService();
    sink.answer = () => 500;
    await sendAndTell(service);
    for (let hour = 0; hour < 5; hour += 1) {
      harness.clock.advance({ hours: 1 });
      await harness.deliver();
    }
    expect(sink.calls).toHaveLength(4);
    expect((await history(service))[0]).toMatchObject({ status: 'failed', attempts: 4 });
  });

  it.each([400, 404, 410, 301, 307])('%s is final, and a redirect is not followed', async (status) => {
    const service = await aToldService();
    sink.answer = () => status;
    await sendAndTell(service);
    harness.clock.advance({ hours: 1 });
    await harness.deliver();
    expect(sink.calls.map(({ path }) => path)).toEqual(['/hook']);
    expect((await history(service))[0]).toMatchObject({ status: 'failed' });
  });

  it('are retried after a connection failure', async () => {
    const service = await aToldService('http://127.0.0.1:9/hook');
    await sendAndTell(service);
    const [entry] = await history(service);
    expect(entry).toMatchObject({ status: 'waiting', attempts: 1 });
    expect(entry.attempt_log[0]).toMatchObject({ status_code: null, error: 'ECONNREFUSED' });
  });

  it('are sent once, even if the clock of another worker is far ahead', async () => {
    const service = await aToldService(`${sink.url}/slow`);
    sink.answer = (path) => (path === '/slow' ? undefined : 204);
    await aQueuedMessage(harness, service);
    await harness.deliver();
    const delivered = harness.deliver();
    await vi.waitFor(() => expect(sink.calls).toHaveLength(1), { timeout: 15_000 });
    const clock = { now: () => later(harness.clock.now(), minute_ms) };
    const other = new CallbackSender({ ...harness.app, clock });
    await other.runOnce();
    await Promise.all([delivered, other.stop()]);
    expect(sink.calls).toHaveLength(1);
    expect((await history(service))[0]).toMatchObject({ status: 'waiting', attempts: 1 });
  });

  it('a receiver that never responds does not delay other services', async () => {
    const slow = await aToldService(`${sink.url}/slow`);
    const quick = await aToldService(`${sink.url}/quick`);
    sink.answer = (path) => (path === '/slow' ? undefined : 204);
    const many = (length: number) => Array.from({ length }, () => ({}));
    const to = (path: string) => sink.calls.filter((call) => call.path === path);
    await someQueuedMessages(harness, slow, many(120));
    const delivery = buildDelivery(harness.app);
    delivery.start();
    try {
      // The slow receiver has its max number of concurrent requests.
      await vi.waitFor(() => expect(to('/slow')).toHaveLength(25), { timeout: 15_000 });
      await someQueuedMessages(harness, quick, many(60));
      await vi.waitFor(() => expect(to('/quick')).toHaveLength(60), { timeout: 15_000 });
      // If one of them had waited for a slow request to end, another slow one would have started before it.
      expect(new Set(sink.calls.slice(25, 85).map(({ path }) => path))).toEqual(new Set(['/quick']));
    } finally {
      await harness.app.db.deleteFrom('service_callbacks').where('attempts', '=', 0).execute();
      await delivery.stop();
    }
    const tried = (await history(slow)).filter(({ attempts }: { attempts: number }) => attempts > 0);
    expect(tried[0].attempt_log[0].error).toBe('no answer within 5 s');
  });
});

describe('GET /service/{id}/callbacks, POST .../replay', () => {
  it('404 for an unknown service or callback', async () => {
    const unknown = '6ce466d0-fd6a-11e5-82f5-e0accb9d11a6';
    expect((await harness.admin('GET', `/service/${unknown}/callbacks`)).status).toBe(404);
    expect((await harness.admin('POST', `/service/${unknown}/callbacks/replay`)).status).toBe(404);
    const service = await aService(harness);
    expect((await harness.admin('POST', `/service/${service}/callbacks/${unknown}/replay`)).status).toBe(404);
  });

  it('200 and sends failed callbacks again, to the current URL', async () => {
    const service = await aToldService(`${sink.url}/old`);
    sink.answer = () => 404;
    await sendAndTell(service);
    await harness.app.db
      .updateTable('service_callback_api')
      .set({ url: `${sink.url}/new` })
      .where('service_id', '=', service)
      .execute();
    sink.answer = () => 204;
    const response = await harness.admin('POST', `/service/${service}/callbacks/replay`, {
      callback_type: 'delivery_status',
      created_since: '2026-11-15T00:00:00Z',
    });
    expect(response.body).toEqual({ replayed: 1 });
    await harness.deliver();
    expect(sink.calls.map(({ path }) => path)).toEqual(['/old', '/new']);
    const [entry] = await history(service);
    expect(entry.status).toBe('delivered');
    expect(entry.attempt_log).toHaveLength(2);

    expect((await harness.admin('POST', `/service/${service}/callbacks/${entry.id}/replay`)).status).toBe(204);
    await harness.deliver();
    expect(sink.calls).toHaveLength(3);
    const failed = await harness.admin('GET', `/service/${service}/callbacks?status=failed`);
    expect(failed.body.callbacks).toEqual([]);
  });

  it('deletes old callbacks', async () => {
    const service = await aToldService();
    await sendAndTell(service);
    harness.clock.advance({ days: 8 });
    await harness.addTask('clean-delivery');
    await harness.runTasks();
    expect(await history(service)).toEqual([]);
  });
});

describe('complaint and inbound text callbacks', () => {
  const callTo = (path: string) => JSON.parse(sink.calls.find((call) => call.path === path)?.body ?? '');

  it('post a complaint', async () => {
    const service = await aService(harness);
    await aCallback(harness, service, `${sink.url}/complaints`, 'complaint');
    const id = await sendAndTell(service, { notification_type: 'email' });
    const message = {
      notificationType: 'Complaint',
      complaint: { feedbackId: 'f', timestamp: '2026-11-15T12:00:00.000Z' },
      mail: { messageId: id },
    };
    const payload = JSON.stringify({ Type: 'Notification', Message: JSON.stringify(message) });
    await harness.request({ method: 'POST', url: '/notifications/email/ses', payload });
    await harness.deliver();
    expect(callTo('/complaints')).toEqual({
      notification_id: id,
      complaint_id: expect.any(String),
      reference: 'your-reference',
      to: 'Ada@Example.org',
      complaint_date: '2026-11-15T12:00:00.000000Z',
    });
  });

  it('post a received text', async () => {
    harness.app.config.providers.mmg.inboundAuth = 'mmg:secret';
    const service = await aService(harness, { permissions: ['sms', 'inbound_sms'] });
    await aCallback(harness, service, `${sink.url}/texts`, 'inbound_sms');
    await anInboundNumber(harness, service, { number: '07700900500', provider: 'mmg' });
    await harness.request({
      method: 'POST',
      url: '/notifications/sms/receive/mmg',
      headers: { authorization: `Basic ${Buffer.from('mmg:secret').toString('base64')}` },
      payload: JSON.stringify({ MSISDN: '447700900111', Number: '447700900500', Message: 'hello+there' }),
    });
    await harness.deliver();
    expect(callTo('/texts')).toEqual({
      id: expect.any(String),
      source_number: '447700900111',
      destination_number: '07700900500',
      message: 'hello there',
      date_received: timestamp(harness.clock.now()),
    });
  });
});

describe('callbacks of a demo that only this machine reaches', () => {
  const local = useHarness({
    now: '2026-11-15T12:00:00Z',
    config: { ...config, callbacks: { ...config.callbacks, allowPrivate: false, allowLoopback: true } },
  });

  it.each([
    [`${sink.url}/hook`, 'delivered'],
    ['http://10.1.2.3/', 'failed'],
    ['http://169.254.169.254/latest/meta-data', 'failed'],
    ['https://192.168.0.1/', 'failed'],
    ['http://0.0.0.0/', 'failed'],
    ['http://93.184.216.34/', 'failed'],
  ])('%s: %s', async (url, status) => {
    const service = await aService(local);
    await aCallback(local, service, url);
    await aQueuedMessage(local, service);
    await local.deliver();
    await local.deliver();
    const [entry] = (await local.admin('GET', `/service/${service}/callbacks`)).body.callbacks;
    expect(entry).toMatchObject({ status, attempts: 1 });
    expect(entry.attempt_log[0].error).toBe(status === 'failed' ? 'address not allowed' : null);
  });
});

describe('blocked callback addresses', () => {
  const strict = useHarness({
    now: '2026-11-15T12:00:00Z',
    config: { ...config, callbacks: { ...config.callbacks, allowPrivate: false } },
  });

  it.each([
    ['https://127.0.0.1/'],
    ['https://localhost/'],
    ['https://[::1]/'],
    ['https://[::ffff:127.0.0.1]/'],
    ['https://2130706433/'],
    ['https://0x7f.1/'],
    ['https://169.254.169.254/latest/meta-data'],
    ['http://example.org/'],
  ])('%s', async (url) => {
    const service = await aService(strict);
    await aCallback(strict, service, url);
    await aQueuedMessage(strict, service);
    await strict.deliver();
    await strict.deliver();
    const [entry] = (await strict.admin('GET', `/service/${service}/callbacks`)).body.callbacks;
    expect(entry).toMatchObject({ status: 'failed', attempts: 1 });
    expect(entry.attempt_log[0].error).toBe('address not allowed');
  });

  it.each([
    ['10.1.2.3', true],
    ['172.31.255.255', true],
    ['192.168.0.1', true],
    ['100.64.0.1', true],
    ['0.0.0.0', true],
    ['::', true],
    ['fd00::1', true],
    ['fe80::1%eth0', true],
    ['::ffff:10.0.0.1', true],
    ['::ffff:0:7f00:1', true],
    ['168.63.129.16', true],
    ['168.63.129.17', false],
    ['64:ff9b::a00:1', true],
    ['2002:7f00:1::', true],
    ['8.8.8.8', false],
    ['172.32.0.1', false],
    ['2a00:1450:4009::1', false],
  ])('%s is private: %s', (address, inside) => {
    expect(isInside(address)).toBe(inside);
  });

  it('checks the resolved addresses of a name when connecting', async () => {
    const lookup = guardedLookup((address) => !isInside(address));
    const outcome = await new Promise((resolve) =>
      lookup('localhost', { all: true }, (error) => resolve(error?.message)),
    );
    expect(outcome).toBe('the address is not one that may be called');
  });
});
