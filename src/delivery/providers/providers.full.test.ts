import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { aQueuedMessage, messageOf, queueOf } from '../../../test/kit/builders/queued-messages.ts';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { withoutAwsCredentials } from '../../../test/kit/vendors/aws.ts';
import { receiptPathOf, startStubGateways } from '../../../test/kit/vendors/stub-gateways.ts';
import { twilioSignature } from './sms/twilio.ts';

const gateways = await startStubGateways();
afterAll(() => gateways.close());
beforeEach(() => {
  gateways.answer = () => 'accept';
});

const now = '2026-11-15T12:00:00Z';

describe('MMG', () => {
  const harness = useHarness({
    now,
    config: { sms: { providers: ['mmg'] }, providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'mmg-key' } } },
  });
  const send = async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    await harness.deliver();
    return id;
  };

  it('gets number, text, sender and our reference; its receipt ends the message', async () => {
    const id = await send();
    expect(gateways.sentTo(id)).toHaveLength(1);
    expect(gateways.sentTo(id)[0]).toMatchObject({
      gateway: 'mmg',
      headers: { authorization: 'Basic mmg-key', 'content-type': 'application/json' },
      fields: { reqType: 'BULK', MSISDN: '447700900123', msg: 'Hello Ada', sender: 'TESTING', cid: id, multi: true },
    });
    expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider: 'mmg', billable_units: 1 });
    await harness.request({
      method: 'POST',
      url: receiptPathOf(gateways.sentTo(id)[0]),
      payload: JSON.stringify({ status: '3', CID: id }),
    });
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it('is retried at once, then every five minutes, and the message fails after 48 retries', async () => {
    gateways.answer = () => ({ status: 500, body: { Error: '99' } });
    const id = await send();
    // The first retry is immediate.
    expect(gateways.sentTo(id)).toHaveLength(2);
    expect(await queueOf(harness, id)).toMatchObject({
      attempts: 2,
      outcome_known: true,
      due_at: '2026-11-15T12:05:00.000000Z',
    });
    expect((await messageOf(harness, id)).status).toBe('created');
    for (let retry = 2; retry <= 48; retry += 1) {
      harness.clock.advance({ minutes: 5 });
      await harness.deliver();
    }
    expect(gateways.sentTo(id)).toHaveLength(49);
    expect(await messageOf(harness, id)).toMatchObject({ status: 'technical-failure' });
    expect(await queueOf(harness, id)).toBeUndefined();
  });

  it('respects Retry-After', async () => {
    gateways.answer = () => ({ status: 429, headers: { 'retry-after': '7' } });
    const id = await send();
    const due = new Date(harness.clock.now().getTime() + 7_000).toISOString();
    expect((await queueOf(harness, id))?.due_at.slice(0, 19)).toBe(due.slice(0, 19));
  });

  it.each([
    ['for a year', '31536000', 0, '2026-11-15T13:00:00'],
    ['beyond its expiry', '3000', 71.5, '2026-11-18T12:00:00'],
    ['for less than nothing', '-5', 0, '2026-11-15T12:05:00'],
  ])('with Retry-After %s, waits at most an hour and never past the expiry', async (_, asked, age_h, due) => {
    const start = new Date(now);
    harness.clock.set(start);
    gateways.answer = () => ({ status: 429, headers: { 'retry-after': asked } });
    const id = await aQueuedMessage(harness, await aService(harness));
    harness.clock.set(new Date(start.getTime() + age_h * 3_600_000));
    await harness.deliver();
    expect((await queueOf(harness, id))?.due_at.slice(0, 19)).toBe(due);
    harness.clock.set(start);
  });

  it.each([
    ['502', { status: 502 }],
    ['504', { status: 504 }],
    ['a yes that is no JSON', { status: 200, body: 'Accepted' }],
  ])('may have the message after %s, so the retry waits and uses the same provider', async (_, response) => {
    gateways.answer = () => response;
    const id = await send();
    expect(gateways.sentTo(id)).toHaveLength(1);
    expect(await queueOf(harness, id)).toMatchObject({ outcome_known: false, provider: 'mmg', attempts: 1 });
  });

  it('if it closes the connection, the retry waits and has the same reference', async () => {
    gateways.answer = () => 'hang up';
    const id = await send();
    expect(gateways.sentTo(id)).toHaveLength(1);
    expect(await queueOf(harness, id)).toMatchObject({ outcome_known: false, provider: 'mmg', attempts: 1 });
    gateways.answer = () => 'accept';
    harness.clock.advance({ minutes: 5 });
    await harness.deliver();
    expect(gateways.sentTo(id)).toHaveLength(2);
    expect((await messageOf(harness, id)).status).toBe('sending');
  });

  it('if its receipt comes first, nothing is sent again', async () => {
    gateways.answer = () => 'hang up';
    const id = await send();
    await harness.request({
      method: 'POST',
      url: receiptPathOf(gateways.sentTo(id)[0]),
      payload: JSON.stringify({ status: '3', CID: id }),
    });
    gateways.answer = () => 'accept';
    await harness.deliver();
    expect(gateways.sentTo(id)).toHaveLength(1);
    expect(await messageOf(harness, id)).toMatchObject({ status: 'delivered', billable_units: 1, provider: 'mmg' });
    expect(await queueOf(harness, id)).toBeUndefined();
  });
});

describe('Firetext', () => {
  const harness = useHarness({
    now,
    config: {
      sms: { providers: ['firetext'] },
      providers: { firetext: { url: `${gateways.url}/firetext`, apiKey: 'ft-key' } },
    },
  });

  it('gets a form; its receipt ends the message', async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    await harness.deliver();
    expect(gateways.sentTo(id)[0]?.fields).toMatchObject({
      apiKey: 'ft-key',
      from: 'TESTING',
      to: '447700900123',
      message: 'Hello Ada',
      reference: id,
    });
    await harness.request({
      method: 'POST',
      url: receiptPathOf(gateways.sentTo(id)[0]),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `status=1&code=102&reference=${id}`,
    });
    expect(await messageOf(harness, id)).toMatchObject({ status: 'temporary-failure', provider: 'firetext' });
  });

  it('rejects with a code in the body of a 200', async () => {
    gateways.answer = () => ({ status: 200, body: { code: 1, description: 'Authentication error' } });
    const retried = await aQueuedMessage(harness, await aService(harness));
    await harness.deliver();
    expect((await messageOf(harness, retried)).status).toBe('created');
    gateways.answer = () => ({ status: 200, body: { code: 2, description: 'No valid numbers' } });
    const refused = await aQueuedMessage(harness, await aService(harness));
    await harness.deliver();
    expect(await messageOf(harness, refused)).toMatchObject({ status: 'technical-failure', provider: 'firetext' });
    expect(gateways.sentTo(refused)).toHaveLength(1);
  });

  it('a 200 without a code may mean success, so the retry waits', async () => {
    gateways.answer = () => ({ status: 200, body: {} });
    const id = await aQueuedMessage(harness, await aService(harness));
    await harness.deliver();
    expect(gateways.sentTo(id)).toHaveLength(1);
    expect(await queueOf(harness, id)).toMatchObject({ outcome_known: false, attempts: 1 });
  });

  it('does not support international messages, so they wait', async () => {
    const id = await aQueuedMessage(harness, await aService(harness), {
      international: true,
      normalised_recipient: '33612345678',
    });
    await harness.deliver();
    expect(gateways.sentTo(id)).toHaveLength(0);
    expect((await messageOf(harness, id)).status).toBe('created');
    expect((await queueOf(harness, id))?.attempts).toBe(1);
  });
});

describe('Twilio', () => {
  const harness = useHarness({
    now,
    config: {
      sms: { providers: ['twilio'] },
      providers: { twilio: { url: gateways.url, accountSid: 'AC123', authToken: 'tw-token' } },
    },
  });

  it('gets a form, and its signed callback ends the message', async () => {
    const id = await aQueuedMessage(harness, await aService(harness), { reply_to_text: '447700900500' });
    await harness.deliver();
    const [request] = gateways.sentTo(id);
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('AC123:tw-token').toString('base64')}`);
    expect(request?.fields).toMatchObject({ To: '+447700900123', From: '+447700900500', Body: 'Hello Ada' });
    const message = await messageOf(harness, id);
    expect(message).toMatchObject({ provider_reference: `SM${id.replaceAll('-', '')}`, provider: 'twilio' });

    const url = new URL(String(request?.fields.StatusCallback));
    const fields = { MessageSid: message.provider_reference ?? '', MessageStatus: 'delivered' };
    const response = await harness.request({
      method: 'POST',
      url: url.pathname + url.search,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': twilioSignature('tw-token', url.href, fields),
      },
      payload: new URLSearchParams(fields).toString(),
    });
    expect(response.status).toBe(200);
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it('rejects a number permanently', async () => {
    gateways.answer = () => ({ status: 400, body: { code: 21211, message: 'Invalid To number' } });
    const id = await aQueuedMessage(harness, await aService(harness));
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('technical-failure');
  });

  it('a 201 without a message id may mean success, so the retry waits', async () => {
    gateways.answer = () => ({ status: 201, body: {} });
    const id = await aQueuedMessage(harness, await aService(harness));
    await harness.deliver();
    expect(await queueOf(harness, id)).toMatchObject({ outcome_known: false, attempts: 1 });
  });

  it('is retried after any other error', async () => {
    gateways.answer = () => ({ status: 401, body: { code: 20003 } });
    const id = await aQueuedMessage(harness, await aService(harness));
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('created');
  });

  it('signs as documented', () => {
    const fields = {
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675309',
      Digits: '1234',
      From: '+14158675309',
      To: '+18005551212',
    };
    expect(twilioSignature('12345', 'https://mycompany.com/myapp.php?foo=1&bar=2', fields)).toBe(
      'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
    );
  });
});

describe('SES without an access key in the settings', () => {
  const harness = useHarness({
    now,
    config: { email: { providers: ['ses'] }, providers: { ses: { url: gateways.url, verifySignatures: false } } },
  });

  it('retries the message until the process has AWS credentials, and signs their token', async () => {
    withoutAwsCredentials(harness.app.config.storage.dataDir);
    onTestFinished(() => void vi.unstubAllEnvs());
    const id = await aQueuedMessage(harness, await aService(harness), { notification_type: 'email' });
    await harness.deliver();
    expect(gateways.sentTo(id)).toEqual([]);
    expect(await messageOf(harness, id)).toMatchObject({ status: 'created' });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDOFROLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_SESSION_TOKEN', 'for an hour');
    harness.clock.advance({ minutes: 10 });
    await harness.deliver();
    const [request] = gateways.sentTo(id);
    expect(request?.headers['x-amz-security-token']).toBe('for an hour');
    expect(request?.headers.authorization).toContain('Credential=AKIDOFROLE/');
  });
});

describe('SES', () => {
  const harness = useHarness({
    now,
    config: {
      email: { providers: ['ses'] },
      providers: {
        ses: {
          url: gateways.url,
          accessKeyId: 'AKIDEXAMPLE',
          secretAccessKey: 'secret',
          configurationSet: 'receipts',
          verifySignatures: false,
        },
      },
    },
  });

  it('gets both bodies and headers; its notification ends the message', async () => {
    const id = await aQueuedMessage(harness, await aService(harness, { name: 'Ffôn "Cymru"' }), {
      notification_type: 'email',
      one_click_unsubscribe_url: 'https://example.org/stop',
    });
    await harness.deliver();
    const [request] = gateways.sentTo(id);
    expect(request?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20261115\/eu-west-2\/ses\//,
    );
    expect(request?.fields).toMatchObject({
      FromEmailAddress: expect.stringMatching(/^=\?UTF-8\?B\?.*\?= <.*@notifications\.example>$/),
      Destination: { ToAddresses: ['ada@example.org'] },
      ReplyToAddresses: ['reply@example.org'],
      Content: {
        Simple: {
          Subject: { Data: 'About engines' },
          Body: { Text: { Data: 'Hello Ada\n' }, Html: { Data: expect.stringContaining('<!DOCTYPE html>') } },
          Headers: [
            { Name: 'List-Unsubscribe', Value: '<https://example.org/stop>' },
            { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
          ],
        },
      },
      ConfigurationSetName: 'receipts',
    });
    expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider_reference: `ses-${id}` });
    const message = { notificationType: 'Delivery', mail: { messageId: `ses-${id}`, timestamp: now } };
    await harness.request({
      method: 'POST',
      url: '/notifications/email/ses',
      payload: JSON.stringify({ Type: 'Notification', Message: JSON.stringify(message) }),
    });
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it('an invalid address fails at once, other errors are retried', async () => {
    gateways.answer = () => ({
      status: 400,
      body: { __type: 'BadRequestException', message: 'Missing final address part' },
    });
    const invalid = await aQueuedMessage(harness, await aService(harness), { notification_type: 'email' });
    await harness.deliver();
    expect((await messageOf(harness, invalid)).status).toBe('technical-failure');
    gateways.answer = () => ({ status: 429, body: { __type: 'TooManyRequestsException' } });
    const later = await aQueuedMessage(harness, await aService(harness), { notification_type: 'email' });
    await harness.deliver();
    expect((await messageOf(harness, later)).status).toBe('created');
    expect(gateways.sentTo(later)).toHaveLength(1);
  });
});
