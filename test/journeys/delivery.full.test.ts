import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { twilioSignature } from '../../src/delivery/providers/sms/twilio.ts';
import { platformUserId } from '../../src/users/platform-user.ts';
import { anApiKey, aService, aTemplate } from '../kit/builders/rows.ts';
import type { ConfigChanges } from '../kit/fakes/changed-config.ts';
import { type Harness, useHarness } from '../kit/harness.ts';
import { receiptPathOf, startCallbackSink, startStubGateways } from '../kit/vendors/stub-gateways.ts';

/** From the request of a sending application to its callback, through each provider, over public interfaces only. */

const gateways = await startStubGateways();
const sink = await startCallbackSink();
const mails: string[] = [];
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, callback) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      mails.push(Buffer.concat(chunks).toString());
      callback();
    });
  },
});
await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
const mailPort = (mailServer.server.address() as { port: number }).port;
afterAll(async () => {
  await gateways.close();
  await sink.close();
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
});
beforeEach(() => {
  sink.calls.length = 0;
});

function journey(config: ConfigChanges) {
  const harness = useHarness({
    now: '2026-11-15T12:00:00Z',
    config: { callbacks: { allowPrivate: true }, ...config },
  });
  const sender = { key: '', service: '', sms: '', email: '' };
  beforeAll(async () => {
    const service = await aService(harness, { name: 'Ferry tickets', prefix_sms: true });
    const callback = await harness.admin('POST', `/service/${service}/callback-api`, {
      url: `${sink.url}/hook`,
      bearer_token: 'a-token-of-some-length',
      updated_by_id: platformUserId,
      callback_type: 'delivery_status',
    });
    expect(callback.status).toBe(201);
    Object.assign(sender, {
      service,
      key: await anApiKey(harness, service),
      sms: await aTemplate(harness, service),
      email: await aTemplate(harness, service, { template_type: 'email' }),
    });
  });
  return { harness, sender };
}

type Sender = ReturnType<typeof journey>['sender'];

async function send(harness: Harness, sender: Sender, channel: 'sms' | 'email'): Promise<string> {
  const recipient = channel === 'sms' ? { phone_number: '07700 900123' } : { email_address: 'Ada@Example.org' };
  const response = await harness.v2('POST', `/v2/notifications/${channel}`, sender.key, {
    ...recipient,
    template_id: sender[channel],
    personalisation: { name: 'Ada', thing: 'boats' },
    reference: 'order-1',
  });
  expect(response.status).toBe(201);
  await harness.deliver();
  return response.body.id;
}

const seen = async (harness: Harness, { key }: Sender, id: string) =>
  (await harness.v2('GET', `/v2/notifications/${id}`, key)).body;

async function expectTold(harness: Harness, id: string, status: string): Promise<void> {
  await harness.deliver();
  expect(sink.calls).toHaveLength(1);
  const [call] = sink.calls;
  expect(JSON.parse(call?.body ?? '')).toMatchObject({ id, status, reference: 'order-1' });
  expect(call?.headers.authorization).toBe('Bearer a-token-of-some-length');
}

const form = (harness: Harness, url: string, fields: Record<string, string>, headers = {}) =>
  harness.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });

describe('through MMG', () => {
  const { harness, sender } = journey({
    sms: { providers: ['mmg'] },
    providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } },
  });

  it('created, sending, delivered; with a callback', async () => {
    const id = await send(harness, sender, 'sms');
    expect(gateways.sentTo(id)[0]?.fields.msg).toBe('Ferry tickets: Hello Ada');
    const sending = await seen(harness, sender, id);
    expect(sending).toMatchObject({ status: 'sending', sent_at: '2026-11-15T12:00:00.000000Z', completed_at: null });
    harness.clock.advance({ seconds: 5 });
    const payload = JSON.stringify({ status: '3', CID: id, MSISDN: '447700900123' });
    await harness.request({ method: 'POST', url: receiptPathOf(gateways.sentTo(id)[0]), payload });
    expect(await seen(harness, sender, id)).toMatchObject({
      status: 'delivered',
      completed_at: '2026-11-15T12:00:05.000000Z',
      cost_details: { billable_sms_fragments: 1 },
    });
    await expectTold(harness, id, 'delivered');
  });
});

describe('through Firetext', () => {
  const { harness, sender } = journey({
    sms: { providers: ['firetext'] },
    providers: { firetext: { url: `${gateways.url}/firetext`, apiKey: 'x' } },
  });

  it('created, sending, pending, temporary-failure; with one callback', async () => {
    const id = await send(harness, sender, 'sms');
    await form(harness, receiptPathOf(gateways.sentTo(id)[0]), { status: '2', reference: id });
    expect(await seen(harness, sender, id)).toMatchObject({ status: 'pending', completed_at: null });
    await form(harness, receiptPathOf(gateways.sentTo(id)[0]), { status: '1', code: '102', reference: id });
    expect((await seen(harness, sender, id)).status).toBe('temporary-failure');
    await expectTold(harness, id, 'temporary-failure');
  });
});

describe('through Twilio', () => {
  const token = 'twilio-token';
  const { harness, sender } = journey({
    sms: { providers: ['twilio'] },
    providers: { twilio: { url: gateways.url, accountSid: 'AC1', authToken: token } },
  });

  it('created, sending, permanent-failure; with a callback', async () => {
    const id = await send(harness, sender, 'sms');
    const address = new URL(String(gateways.sentTo(id)[0]?.fields.StatusCallback));
    const fields = { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30005' };
    const signature = { 'x-twilio-signature': twilioSignature(token, address.href, fields) };
    const response = await form(harness, address.pathname + address.search, fields, signature);
    expect(response.status).toBe(200);
    expect((await seen(harness, sender, id)).status).toBe('permanent-failure');
    await expectTold(harness, id, 'permanent-failure');
  });
});

describe('through Amazon SES', () => {
  const { harness, sender } = journey({
    email: { providers: ['ses'] },
    providers: { ses: { url: gateways.url, accessKeyId: 'AK', secretAccessKey: 'SK', verifySignatures: false } },
  });
  const sns = (message: object) =>
    harness.request({
      method: 'POST',
      url: '/notifications/email/ses',
      headers: { 'content-type': 'text/plain; charset=UTF-8' },
      payload: JSON.stringify({ Type: 'Notification', Message: JSON.stringify(message) }),
    });

  it('created, sending, permanent-failure; with a callback', async () => {
    const id = await send(harness, sender, 'email');
    const mail = { messageId: `ses-${id}`, timestamp: '2026-11-15T12:00:00.000Z' };
    await sns({ notificationType: 'Bounce', bounce: { bounceType: 'Permanent' }, mail });
    expect((await seen(harness, sender, id)).status).toBe('permanent-failure');
    await expectTold(harness, id, 'permanent-failure');
  });

  it('delivered, then a complaint: listed, and the status does not change', async () => {
    const id = await send(harness, sender, 'email');
    const mail = { messageId: `ses-${id}`, timestamp: '2026-11-15T12:00:00.000Z' };
    await sns({ notificationType: 'Delivery', mail });
    await sns({ notificationType: 'Complaint', complaint: { feedbackId: 'f1', complaintFeedbackType: 'abuse' }, mail });
    expect((await seen(harness, sender, id)).status).toBe('delivered');
    const { body } = await harness.admin('GET', '/complaint');
    expect(body.complaints[0]).toMatchObject({ notification_id: id, complaint_type: 'abuse', ses_feedback_id: 'f1' });
    await expectTold(harness, id, 'delivered');
  });
});

describe('through a mail server', () => {
  const { harness, sender } = journey({
    email: { providers: ['smtp'] },
    providers: { smtp: { url: `smtp://127.0.0.1:${mailPort}` } },
  });

  it('created, delivered once the server accepts it; with a callback', async () => {
    const id = await send(harness, sender, 'email');
    expect(mails.some((mail) => mail.includes(id) && mail.includes('Subject: About boats'))).toBe(true);
    expect((await seen(harness, sender, id)).status).toBe('delivered');
    await expectTold(harness, id, 'delivered');
  });
});

describe('a scheduled message', () => {
  const { harness, sender } = journey({});

  it('stays created until its scheduled time, then is sent', async () => {
    const response = await harness.v2('POST', '/v2/notifications/sms', sender.key, {
      phone_number: '07700900123',
      template_id: sender.sms,
      personalisation: { name: 'Ada' },
      scheduled_for: '2026-11-15T13:00:00Z',
    });
    const { id } = response.body;
    harness.clock.advance({ minutes: 59, seconds: 59 });
    await harness.deliver();
    expect((await seen(harness, sender, id)).status).toBe('created');
    harness.clock.advance({ seconds: 1 });
    await harness.deliver();
    expect(await seen(harness, sender, id)).toMatchObject({
      status: 'sending',
      sent_at: '2026-11-15T13:00:00.000000Z',
      scheduled_for: '2026-11-15T13:00:00.000000Z',
    });
  });
});
