import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf, queueOf } from '../../../../test/kit/builders/queued-messages.ts';
import { anApiKey, anInboundNumber, aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { type FrontAnswer, type FrontRequest, startHttpFront } from '../../../../test/kit/vendors/http-front.ts';
import { readConfig } from '../../../commands/read-config.ts';
import { examine } from '../../../operations/doctor/doctor.ts';
import { providers } from '../providers.ts';

/** A gateway as the example in the guide describes it. */
const calls: FrontRequest[] = [];
const accepted = (id: string) => ({ status: 202, body: JSON.stringify({ messages: [{ id, state: 'queued' }] }) });
let answer: (call: FrontRequest) => FrontAnswer;
beforeEach(() => {
  calls.length = 0;
  answer = () => accepted(`lark-${calls.length}`);
});
const gateway = await startHttpFront(async (call) => {
  const isKnown = call.headers.authorization === 'Bearer key-"1"';
  if (call.url === '/v1/account') return { status: isKnown ? 200 : 401 };
  calls.push(call);
  return isKnown ? answer(call) : { status: 401 };
});
afterAll(() => gateway.close());

const folder = mkdtempSync(join(tmpdir(), 'pennypost-httpsms-'));
afterAll(() => rmSync(folder, { recursive: true }));
const example = readFileSync('docs/guides/providers/generic-http.example.json', 'utf8').replaceAll(
  'https://api.larkline.example',
  gateway.url,
);
let files = 0;
function aFile(content: string | object): string {
  files += 1;
  const file = join(folder, `${files}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const secrets = { api_key: 'key-"1"', webhook_key: 'webhook-key', inbound_password: 'pass:word' };
const environment = (file: string) => ({
  SMS_PROVIDERS: 'httpsms',
  HTTPSMS_GATEWAY: file,
  HTTPSMS_SECRETS: JSON.stringify(secrets),
});

describe('the example of the guide', () => {
  const harness = useHarness({ now: '2026-11-15T12:00:00Z', environment: environment(aFile(example)) });
  const send = async (name = 'Ada') => {
    const id = await aQueuedMessage(harness, await aService(harness), { personalisation: { name } });
    await harness.deliver();
    return id;
  };
  const signatureOf = (payload: string) =>
    `sha256=${createHmac('sha256', 'webhook-key').update(payload).digest('hex')}`;
  const receipt = (fields: object, signature?: string) => {
    const payload = JSON.stringify(fields);
    const headers = { 'content-type': 'application/json', 'x-larkline-signature': signature ?? signatureOf(payload) };
    return harness.request({ method: 'POST', url: '/notifications/sms/httpsms', headers, payload });
  };

  it('sends each value as a value, whatever it contains', async () => {
    const id = await send('"},{{to}} \\ {{secret.api_key}} €');
    expect(calls[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': id });
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({
      messages: [
        {
          recipient: '+447700900123',
          originator: 'TESTING',
          content: 'Hello "},{{to}} \\ {{secret.api_key}} €',
          coding: 'plain',
          custom: { reference: id },
          report: true,
        },
      ],
    });
    expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider: 'httpsms' });
    await send('ŵ');
    expect(JSON.parse(calls[1]?.body ?? '').messages[0]).toMatchObject({ content: 'Hello ŵ', coding: 'unicode' });
  });

  it.each([
    ['sent', 'pending'],
    ['delivered', 'delivered'],
    ['expired', 'temporary-failure'],
    ['undeliverable', 'permanent-failure'],
    ['rejected', 'technical-failure'],
    ['read', 'sending'],
    ['toString', 'sending'],
  ])('the receipt %s makes it %s', async (state, expected) => {
    answer = () => accepted(`of ${state}`);
    const id = await send();
    for (const _time of ['first', 'repeated']) {
      expect(await receipt({ id: `of ${state}`, state })).toMatchObject({ status: 200, body: { result: 'success' } });
      expect((await messageOf(harness, id)).status).toBe(expected);
    }
  });

  it('keeps a receipt that comes before the response', async () => {
    expect((await receipt({ id: 'early', state: 'delivered' })).status).toBe(200);
    answer = () => accepted('early');
    const id = await send();
    harness.clock.advance({ seconds: 15 });
    await harness.runTasks();
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it('403 for a receipt that is not signed, 400 for one without its fields', async () => {
    answer = () => accepted('forged');
    const id = await send();
    for (const signature of ['', 'sha256=', signatureOf('another body')]) {
      const { status, body } = await receipt({ id: 'forged', state: 'delivered' }, signature);
      expect([status, body.message]).toEqual([403, 'Callback failed: invalid credentials']);
    }
    expect((await messageOf(harness, id)).status).toBe('sending');
    expect((await receipt({ state: 'delivered' })).body.message).toBe('Callback failed: /id missing');
    expect((await receipt({ id: 'forged', state: {} })).body.message).toBe('Callback failed: /state missing');
  });

  it.each([
    [422, { error: { code: 'opted_out' } }, 'permanent-failure'],
    [422, { error: { code: 'too_long' } }, 'technical-failure'],
    [413, {}, 'technical-failure'],
  ])('%s %j is final', async (status, body, expected) => {
    answer = () => ({ status, body: JSON.stringify(body) });
    const id = await send();
    expect(calls).toHaveLength(1);
    expect((await messageOf(harness, id)).status).toBe(expected);
  });

  it.each([
    ['too many requests', { status: 429 }, '2026-11-15T12:00:30.000000Z', true],
    ['with Retry-After', { status: 429, headers: { 'retry-after': '7' } }, '2026-11-15T12:00:07.000000Z', true],
    ['nonsense', { status: 200, body: '<html>' }, '2026-11-15T12:05:00.000000Z', false],
    ['no id', { status: 200, body: '{"messages":[{"state":"queued"}]}' }, '2026-11-15T12:05:00.000000Z', false],
    ['10 MB', { status: 200, body: 'x'.repeat(10_000_000) }, '2026-11-15T12:05:00.000000Z', false],
  ])('is retried after %s', async (_what, given, due_at, outcome_known) => {
    harness.clock.set('2026-11-15T12:00:00Z');
    answer = () => given;
    const id = await send();
    expect(await queueOf(harness, id)).toMatchObject({ attempts: 1, due_at, outcome_known });
  });

  it('receives texts', async () => {
    const service = await aService(harness, { permissions: ['sms', 'inbound_sms'] });
    await anInboundNumber(harness, service, { number: '07700900444', provider: 'httpsms' });
    const post = (password: string, fields: object) =>
      harness.request({
        method: 'POST',
        url: '/notifications/sms/receive/httpsms',
        headers: { authorization: `Basic ${Buffer.from(`larkline:${password}`).toString('base64')}` },
        payload: JSON.stringify(fields),
      });
    const text = { from: '447700900111', to: '447700900444', body: 'Hi', id: 5 };
    expect((await post('wrong', text)).status).toBe(403);
    expect((await post('pass:word', { ...text, to: '' })).body.message).toBe('Callback failed: /to missing');
    expect(await post('pass:word', text)).toMatchObject({ status: 200, body: { status: 'ok' } });
    const key = await anApiKey(harness, service);
    const { body } = await harness.v2('GET', '/v2/received-text-messages', key);
    expect(body.received_text_messages).toMatchObject([{ user_number: '447700900111', content: 'Hi' }]);
  });

  it('is checked by the doctor', async () => {
    const { config, pool } = harness.app;
    const examined = async (given: object) => {
      const httpsms = { ...config.providers.httpsms, secrets: JSON.stringify({ ...secrets, ...given }) };
      const changed = { ...config, providers: { ...config.providers, httpsms } };
      const found = await examine(changed, String(pool.options.connectionString), providers);
      return found.find(({ name }) => name === 'sms')?.description;
    };
    expect(await examined({})).toBe('httpsms can be reached');
    expect(await examined({ api_key: 'old' })).toBe('httpsms: it responded with 401: correct HTTPSMS_SECRETS');
  });
});

describe('a gateway with forms, a query and its own receipt URLs', () => {
  const file = aFile({
    request: {
      url: `${gateway.url}/send/{{secret.api_key}}?dlr={{receipt_url}}`,
      headers: { authorization: 'Bearer key-"1"' },
      format: 'form',
      body: { to: '{{to}}', text: '{{text}}', ref: '{{reference}}', flash: 0 },
    },
    accepted: { statuses: [200] },
    receipts: {
      authentication: { kind: 'receipt_url' },
      our_reference: '/ref',
      status: '/stat',
      statuses: { 1: 'delivered', 2: 'permanent-failure' },
    },
  });
  const harness = useHarness({ now: '2026-11-15T12:00:00Z', environment: environment(file) });

  it.each(['GET', 'POST'] as const)('takes receipts by %s at the URL of the message only', async (method) => {
    answer = () => ({ status: 200 });
    const id = await aQueuedMessage(harness, await aService(harness), { personalisation: { name: 'A&B=C' } });
    await harness.deliver();
    const { pathname, searchParams } = new URL(calls[0]?.url ?? '', gateway.url);
    expect(pathname).toBe('/send/key-%221%22');
    expect(Object.fromEntries(new URLSearchParams(calls[0]?.body))).toEqual({
      ...{ to: '447700900123', text: 'Hello A&B=C', ref: id, flash: '0' },
    });
    const own = new URL(searchParams.get('dlr') ?? '');
    const take = (token: string) => {
      const form = new URLSearchParams({ ref: id, stat: '1' });
      const url = `${own.pathname}?token=${token}`;
      if (method === 'GET') return harness.request({ method, url: `${url}&${form}` });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return harness.request({ method, url, headers, payload: form.toString() });
    };
    expect((await take('x')).status).toBe(403);
    expect((await messageOf(harness, id)).status).toBe('sending');
    expect((await take(own.searchParams.get('token') ?? '')).status).toBe(200);
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it('404 for texts, which its file does not describe', async () => {
    const { status } = await harness.request({
      method: 'POST',
      url: '/notifications/sms/receive/httpsms',
      payload: '{}',
    });
    expect(status).toBe(404);
  });
});

describe('HTTPSMS_GATEWAY', () => {
  const read = (file: string, given: object = {}) =>
    readConfig({
      ...{ DATA_DIR: folder, SECRET_KEY: 's'.repeat(32), ADMIN_CLIENT_SECRETS: 'a'.repeat(32) },
      ...{ ...environment(file), ...given },
    });
  const problemsOf = (change: (content: Record<string, never>) => void) => {
    const content = JSON.parse(example);
    change(content);
    return () => read(aFile(content));
  };

  it('is accepted as in the guide, and needed only if the provider is active', () => {
    expect(read(aFile(example)).sms.providers).toEqual(['httpsms']);
    expect(() => read('', { HTTPSMS_GATEWAY: '' })).toThrow('HTTPSMS_GATEWAY must be set for the provider httpsms');
    expect(read('/nowhere.json', { SMS_PROVIDERS: 'sandbox' }).sms.providers).toEqual(['sandbox']);
  });

  it.each<[string, string, (file: ReturnType<typeof JSON.parse>) => void]>([
    ['/request has the unknown urll', 'a typing error', (file) => (file.request.urll = 'x')],
    ['/ must have accepted', 'no success', (file) => delete file.accepted],
    ['/request/method must be one of POST, PUT, GET', 'a method', (file) => (file.request.method = 'DELETE')],
    ['/request/url must match', 'a host that a message could change', (file) => (file.request.url = 'https://{{to}}/')],
    ['/request/url has {{to, which is no placeholder', 'half', (file) => (file.request.url += '/{{to')],
    [
      '/request/body/a may not use {{name}}, only to, from, text',
      'unknown',
      (file) => (file.request.body.a = '{{name}}'),
    ],
    ['/request/headers/x may not use {{text}}', 'a text in a header', (file) => (file.request.headers.x = '{{text}}')],
    [
      '/request/headers/x uses {{secret.old}}, which is not in HTTPSMS_SECRETS',
      'an unknown secret',
      (file) => (file.request.headers.x = '{{secret.old}}'),
    ],
    ['/request/body/messages must be a text, a number', 'lists in a form', (file) => (file.request.format = 'form')],
    ['/accepted must have pointer and values together', 'half a rule', (file) => delete file.accepted.values],
    ['/errors/1 must have statuses or pointer', 'no condition', (file) => delete file.errors[1].statuses],
    ['/receipts/statuses/sent must be one of delivered,', 'a status', (file) => (file.receipts.statuses.sent = 'done')],
    ['/receipts must have either our_reference or message_id', 'both', (file) => (file.receipts.our_reference = '/x')],
    ['/accepted must have message_id', 'no id', (file) => delete file.accepted.message_id],
    ['/receipts/status must match', 'no pointer', (file) => (file.receipts.status = 'state')],
    [
      '/receipts/authentication must have algorithm for the kind hmac',
      'half a signature',
      (file) => delete file.receipts.authentication.algorithm,
    ],
    [
      '/received_texts/authentication names x, which is not in HTTPSMS_SECRETS',
      'another secret',
      (file) => (file.received_texts.authentication.secret = 'x'),
    ],
  ])('HTTPSMS_GATEWAY: %s (%s)', (problem, _what, change) => {
    expect(problemsOf(change)).toThrow(`HTTPSMS_GATEWAY: ${problem}`);
  });

  it('and its secrets must be JSON', () => {
    expect(() => read('/nowhere.json')).toThrow('HTTPSMS_GATEWAY cannot be read: ENOENT');
    expect(() => read(aFile('{'))).toThrow('HTTPSMS_GATEWAY cannot be read: ');
    for (const HTTPSMS_SECRETS of ['api_key=x', '[]', '{"a":1}', '{"a":"b\\n"}']) {
      expect(() => read(aFile(example), { HTTPSMS_SECRETS })).toThrow('HTTPSMS_SECRETS must be a JSON object of texts');
    }
  });
});
