import { createSign } from 'node:crypto';
import { sql } from 'kysely';
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf } from '../../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { aCertificate } from '../../../test/kit/vendors/certificate.ts';
import { isAmazonAddress, type SnsEnvelope, textToSign } from '../providers/aws/sns.ts';

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: { providers: { sandbox: { receipts: 'hold' }, ses: { verifySignatures: false } } },
});

const ses = (body: unknown, headers: Record<string, string> = {}) =>
  harness.request({
    method: 'POST',
    url: '/notifications/email/ses',
    headers,
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
const envelope = (message: object) => ({ Type: 'Notification', MessageId: 'sns-1', Message: JSON.stringify(message) });
const mail = (messageId: string, timestamp = '2026-11-15T11:59:00.000Z') => ({
  messageId,
  timestamp,
  destination: ['ada@example.org'],
});

async function aSentEmail(): Promise<string> {
  const id = await aQueuedMessage(harness, await aService(harness), { notification_type: 'email' });
  await harness.deliver();
  return id;
}

describe('POST /notifications/email/ses', () => {
  it.each([
    [{ notificationType: 'Delivery', delivery: { timestamp: '2026-11-15T11:59:59Z' } }, 'delivered'],
    [
      { notificationType: 'Bounce', bounce: { bounceType: 'Permanent', bounceSubType: 'General' } },
      'permanent-failure',
    ],
    [{ notificationType: 'Bounce', bounce: { bounceType: 'Transient' } }, 'temporary-failure'],
    [{ notificationType: 'Bounce', bounce: { bounceType: 'Undetermined' } }, 'temporary-failure'],
    [{ eventType: 'Delivery' }, 'delivered'],
    [{ notificationType: 'Open' }, 'sending'],
    [{ notificationType: 'Complaint', complaint: { feedbackId: 'f' } }, 'sending'],
  ])('200, and %j sets the email to %s', async (event, status) => {
    const id = await aSentEmail();
    const response = await ses(envelope({ ...event, mail: mail(id) }), { 'content-type': 'text/plain; charset=UTF-8' });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ result: 'success', message: 'SES callback succeeded' });
    expect((await messageOf(harness, id)).status).toBe(status);
  });

  it.each([
    [
      { bounceType: 'Permanent', bounceSubType: 'OnAccountSuppressionList' },
      { status_description: 'Blocked', provider_response: 'Permanent OnAccountSuppressionList' },
    ],
    [
      {
        bounceType: 'Transient',
        bounceSubType: 'MailboxFull',
        bouncedRecipients: [{ diagnosticCode: `smtp; 452 4.2.2 <ada@example.org> ${'x'.repeat(400)}` }],
      },
      {
        status_description: 'Content or inbox issue',
        provider_response: `Transient MailboxFull: smtp; 452 4.2.2 [address] ${'x'.repeat(400)}`.slice(0, 255),
      },
    ],
    [{ bounceType: 'Permanent' }, { status_description: 'No such address', provider_response: 'Permanent' }],
    [{ bounceType: 'Permanent', bouncedRecipients: 'x' }, { provider_response: 'Permanent' }],
  ])('200, and reading the email says why it bounced: %j', async (bounce, expected) => {
    const service = await aService(harness);
    const key = await anApiKey(harness, service);
    const id = await aQueuedMessage(harness, service, { notification_type: 'email' });
    await harness.deliver();
    await ses(envelope({ notificationType: 'Bounce', bounce, mail: mail(id) }));
    expect((await harness.v2('GET', `/v2/notifications/${id}`, key)).body).toMatchObject(expected);
    // It is no attempt to hand the message over.
    const { body } = await harness.admin('GET', `/service/${service}/notifications/${id}/attempts`);
    expect(body.attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['handed-over']);
  });

  it('200, and the second receipt changes nothing', async () => {
    const id = await aSentEmail();
    await ses(envelope({ notificationType: 'Delivery', mail: mail(id) }));
    const before = await messageOf(harness, id);
    harness.clock.advance({ minutes: 1 });
    await ses(envelope({ notificationType: 'Bounce', bounce: { bounceType: 'Permanent' }, mail: mail(id) }));
    expect(await messageOf(harness, id)).toEqual(before);
  });

  it('200 for raw delivery, without an envelope', async () => {
    const id = await aSentEmail();
    expect((await ses({ notificationType: 'Delivery', mail: mail(id) })).status).toBe(200);
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it.each([
    ['not json'],
    ['{"Type":"Notification","Message":"not json"}'],
    ['{"Type":"Notification","Message":"5"}'],
    ['{"Type":"Notification"}'],
    ['{}'],
    [''],
  ])('400 for %s', async (body) => {
    const response = await ses(body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message: 'SES callback failed: invalid json' });
  });

  it.each([
    [{ notificationType: 'Delivery' }],
    [{ notificationType: 'Delivery', mail: 'x' }],
    [{ notificationType: 'Delivery', mail: { messageId: 5 } }],
    [{ notificationType: 'Delivery', mail: { messageId: 'a\u0000b' } }],
    [{ notificationType: 'Bounce', bounce: 'x', mail: mail('nobody') }],
    [{ notificationType: 'Complaint', complaint: null, mail: mail('nobody', 'yesterday') }],
    [[]],
  ])('200 for the unexpected message %j', async (message) => {
    expect((await ses(envelope(message))).status).toBe(200);
  });

  it('keeps for a retry why an email bounced, without the address', async () => {
    const id = await aSentEmail();
    const diagnosticCode = `smtp; 550 5.7.26 <ada@example.org> unauthenticated ${'x'.repeat(1_000)}`;
    const bounce = { bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients: [{ diagnosticCode }] };
    const sent = mail('early-message-id', harness.clock.now().toISOString());
    await ses(envelope({ notificationType: 'Bounce', bounce, mail: sent }));
    const waiting = await sql<{ data: string }>`
      select j.payload::text as data from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'record-email-receipt'
        and j.payload::text like '%early-message-id%'`.execute(harness.app.db);
    expect(waiting.rows.map(({ data }) => [data.length < 1_200, data.includes('ada@')])).toEqual([[true, false]]);
    await harness.app.db
      .updateTable('notifications')
      .set({ provider_reference: 'early-message-id' })
      .where('id', '=', id)
      .execute();
    harness.clock.advance({ seconds: 15 });
    await harness.runTasks();
    expect((await messageOf(harness, id)).status).toBe('permanent-failure');
    const attempts = harness.app.db.selectFrom('failed_attempts').select('reason').where('notification_id', '=', id);
    expect((await attempts.executeTakeFirst())?.reason).toMatch(
      /^Permanent General: smtp; 550 5\.7\.26 \[address\] unauthenticated x+$/,
    );
  });

  it('200, and retries a receipt that arrives before its message id is recorded', async () => {
    const id = await aSentEmail();
    const now = harness.clock.now().toISOString();
    await ses(envelope({ notificationType: 'Delivery', mail: mail('ses-message-id', now) }));
    expect((await messageOf(harness, id)).status).toBe('sending');
    await harness.app.db
      .updateTable('notifications')
      .set({ provider_reference: 'ses-message-id' })
      .where('id', '=', id)
      .execute();
    await harness.runTasks();
    expect((await messageOf(harness, id)).status).toBe('sending');
    harness.clock.advance({ seconds: 15 });
    await harness.runTasks();
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it('200, and finds the message by our tag', async () => {
    const id = await aSentEmail();
    const tagged = { ...mail('another-message-id'), tags: { notification_id: [id] } };
    await ses(envelope({ eventType: 'Delivery', mail: tagged }));
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it.each(['SubscriptionConfirmation', 'UnsubscribeConfirmation'])('200 for a %s with any URL', async (Type) => {
    const response = await ses({ Type, Token: 'x', TopicArn: 'arn', SubscribeURL: 'http://127.0.0.1:9/' });
    expect(response.status).toBe(200);
  });

  it('never logs the address of a recipient', () => {
    expect(harness.logged.filter((line) => line.includes('ada@example.org'))).toEqual([]);
  });
});

describe('complaints from SES', () => {
  it('are linked to the message, listed and counted', async () => {
    const service = await aService(harness, { name: 'Much loved' });
    const id = await aQueuedMessage(harness, service, { notification_type: 'email' });
    await harness.deliver();
    await ses(
      envelope({
        notificationType: 'Complaint',
        complaint: {
          feedbackId: 'feedback-1',
          complaintFeedbackType: 'abuse',
          timestamp: '2026-11-15T11:00:00.000Z',
          complainedRecipients: [{ emailAddress: 'ada@example.org' }],
        },
        mail: mail(id),
      }),
    );
    const { body } = await harness.admin('GET', '/complaint');
    expect(body.complaints[0]).toEqual({
      id: expect.any(String),
      notification_id: id,
      service_id: service,
      service_name: 'Much loved',
      ses_feedback_id: 'feedback-1',
      complaint_type: 'abuse',
      complaint_date: '2026-11-15T11:00:00.000000Z',
      created_at: expect.stringMatching(/^2026-11-15T12:/),
    });
    expect((await harness.admin('GET', '/complaint/count-by-date-range')).body).toBeGreaterThanOrEqual(1);
  });

  it('may contain only the message id', async () => {
    const id = await aSentEmail();
    await ses(envelope({ notificationType: 'Complaint', mail: mail(id) }));
    const { body } = await harness.admin('GET', '/complaint');
    expect(body.complaints[0]).toMatchObject({
      notification_id: id,
      ses_feedback_id: null,
      complaint_type: null,
      complaint_date: null,
    });
  });
});

describe('POST /notifications/email/ses with signatures', () => {
  const topic = 'arn:aws:sns:eu-west-2:123456789012:receipts';
  const strict = useHarness({
    now: '2026-11-15T12:00:00Z',
    config: { providers: { sandbox: { receipts: 'hold' }, ses: { topicArns: [topic] } } },
  });
  const host = 'https://sns.eu-west-2.amazonaws.com';
  const certificateUrl = (name: string) => `${host}/SimpleNotificationService-${name}.pem`;
  const good = aCertificate({ from: new Date('2026-01-01'), until: new Date('2027-01-01') });
  const expired = aCertificate({ from: new Date('2025-01-01'), until: new Date('2026-01-01') });
  const visited: string[] = [];
  const usual = getGlobalDispatcher();

  beforeAll(() => {
    const amazon = new MockAgent();
    amazon.disableNetConnect();
    const pool = amazon.get(host);
    const serve = (path: string, data: string) => pool.intercept({ path }).reply(200, data).persist();
    serve('/SimpleNotificationService-good.pem', good.pem);
    serve('/SimpleNotificationService-expired.pem', expired.pem);
    pool
      .intercept({ path: (path) => path.startsWith('/?Action=') })
      .reply(({ path }) => {
        visited.push(path);
        return { statusCode: 200, data: 'confirmed' };
      })
      .persist();
    setGlobalDispatcher(amazon);
  });
  afterAll(() => setGlobalDispatcher(usual));

  const fields = (message: object) => ({
    ...envelope(message),
    Timestamp: '2026-11-15T12:00:00.000Z',
    TopicArn: topic,
    SignatureVersion: '2',
    SigningCertURL: certificateUrl('good'),
  });
  function signed(unsigned: SnsEnvelope, { privateKey } = good, digest = 'RSA-SHA256'): SnsEnvelope {
    const text = textToSign(unsigned) ?? '';
    return { ...unsigned, Signature: createSign(digest).update(text).sign(privateKey, 'base64') };
  }
  const post = (body: object) =>
    strict.request({ method: 'POST', url: '/notifications/email/ses', payload: JSON.stringify(body) });

  async function aSentEmailOfStrict(): Promise<string> {
    const id = await aQueuedMessage(strict, await aService(strict), { notification_type: 'email' });
    await strict.deliver();
    return id;
  }

  it.each([
    ['1', 'RSA-SHA1'],
    ['2', 'RSA-SHA256'],
  ])('200 with a signature of version %s', async (SignatureVersion, digest) => {
    const id = await aSentEmailOfStrict();
    const delivery = { ...fields({ notificationType: 'Delivery', mail: mail(id) }), SignatureVersion, Subject: 'SES' };
    expect((await post(signed(delivery, good, digest))).status).toBe(200);
    expect((await messageOf(strict, id)).status).toBe('delivered');
  });

  const bounce = (id: string) =>
    fields({ notificationType: 'Bounce', bounce: { bounceType: 'Permanent' }, mail: mail(id) });
  it.each<[string, (id: string) => SnsEnvelope]>([
    ['no signature', bounce],
    ['the signature of another key', (id) => signed(bounce(id), expired)],
    ['the signature of another message', (id) => ({ ...signed(fields({})), Message: bounce(id).Message })],
    ['a subject that was not signed', (id) => ({ ...signed(bounce(id)), Subject: 'x' })],
    ['the digest of version 1 under version 2', (id) => signed(bounce(id), good, 'RSA-SHA1')],
    ['an unknown version', (id) => signed({ ...bounce(id), SignatureVersion: '3' })],
    ['an expired certificate', (id) => signed({ ...bounce(id), SigningCertURL: certificateUrl('expired') }, expired)],
    ['a certificate that is not there', (id) => signed({ ...bounce(id), SigningCertURL: certificateUrl('gone') })],
    ['no certificate of Amazon', (id) => signed({ ...bounce(id), SigningCertURL: 'https://evil.example/x.pem' })],
    ['a time more than an hour ago', (id) => signed({ ...bounce(id), Timestamp: '2026-11-15T10:59:59.999Z' })],
    ['no time', (id) => signed({ ...bounce(id), Timestamp: undefined })],
    [
      'the certificate of another region',
      (id) => signed({ ...bounce(id), SigningCertURL: certificateUrl('good').replace('eu-west-2', 'made-up-1') }),
    ],
    ['another topic of Amazon', (id) => signed({ ...bounce(id), TopicArn: `${topic}-of-another-account` })],
  ])('403 with %s', async (_what, make) => {
    const id = await aSentEmailOfStrict();
    const response = await post(make(id));
    expect(response.status).toBe(403);
    expect(response.body).toEqual({ result: 'error', message: 'SES callback failed: invalid signature' });
    expect((await messageOf(strict, id)).status).toBe('sending');
  });

  it('200 with a signature that is an hour old', async () => {
    const id = await aSentEmailOfStrict();
    expect((await post(signed({ ...bounce(id), Timestamp: '2026-11-15T11:00:00.000Z' }))).status).toBe(200);
    expect((await messageOf(strict, id)).status).toBe('permanent-failure');
  });

  const subscription = (SubscribeURL: string, TopicArn = topic) => ({
    ...fields({}),
    Type: 'SubscriptionConfirmation',
    Token: 'token',
    TopicArn,
    SubscribeURL,
  });

  it('200 for a subscription, which is confirmed only at Amazon', async () => {
    expect((await post(signed(subscription(`${host}/?Action=ConfirmSubscription`)))).status).toBe(200);
    expect(visited).toEqual(['/?Action=ConfirmSubscription']);
    expect((await post(signed(subscription('https://evil.example/?Action=ConfirmSubscription')))).status).toBe(200);
    const elsewhere = subscription(`${host}/?Action=ConfirmSubscription`, 'arn:aws:sns:eu-west-2:1:elsewhere');
    expect((await post(signed(elsewhere))).status).toBe(403);
    expect(visited).toHaveLength(1);
  });

  it.each([
    ['any topic of the region', 'arn:aws:sns:eu-west-2:1:of-anybody', 200],
    ['no topic of another region', 'arn:aws:sns:made-up-1:1:of-anybody', 403],
  ])('with SES_TOPIC_ARNS=* %s', async (_what, TopicArn, status) => {
    const { topicArns } = strict.app.config.providers.ses;
    topicArns.splice(0, 1, '*');
    const region = TopicArn.split(':')[3] ?? '';
    const SigningCertURL = certificateUrl('good').replace('eu-west-2', region);
    const response = await post(signed({ ...fields({ notificationType: 'Open' }), TopicArn, SigningCertURL }));
    topicArns.splice(0, 1, topic);
    expect(response.status).toBe(status);
  });

  it.each([
    ['https://sns.eu-west-2.amazonaws.com/SimpleNotificationService-0a1b.pem', true],
    ['https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-0a1b.pem', true],
    ['http://sns.eu-west-2.amazonaws.com/SimpleNotificationService-0a1b.pem', false],
    ['https://sns.eu-west-2.amazonaws.com:8443/SimpleNotificationService-0a1b.pem', false],
    ['https://user@sns.eu-west-2.amazonaws.com/SimpleNotificationService-0a1b.pem', false],
    ['https://sns.eu-west-2.amazonaws.com/other.pem', false],
    ['https://evil.example/SimpleNotificationService-0a1b.pem', false],
    ['https://sns.eu-west-2.amazonaws.com.evil.example/SimpleNotificationService-0a1b.pem', false],
    ['https://bucket.s3.amazonaws.com/SimpleNotificationService-0a1b.pem', false],
    ['nonsense', false],
  ])('%s: %s', (address, allowed) => {
    expect(isAmazonAddress(address, /^\/SimpleNotificationService-[a-zA-Z0-9]+\.pem$/)).toBe(allowed);
  });

  it('the signed text has the fields in order', () => {
    const rest = {
      SignatureVersion: '2',
      SigningCertURL: 'x',
      Subject: 's',
      Timestamp: 't',
      Token: 'to',
      TopicArn: 'a',
    };
    expect(textToSign({ ...envelope({ a: 1 }), ...rest })).toBe(
      'Message\n{"a":1}\nMessageId\nsns-1\nSubject\ns\nTimestamp\nt\nTopicArn\na\nType\nNotification\n',
    );
    expect(textToSign({ ...envelope({}), ...rest, Type: 'SubscriptionConfirmation', SubscribeURL: 'u' })).toBe(
      'Message\n{}\nMessageId\nsns-1\nSubscribeURL\nu\nTimestamp\nt\nToken\nto\nTopicArn\na\nType\nSubscriptionConfirmation\n',
    );
  });
});

describe('POST /notifications/email/ses with another email provider', () => {
  const elsewhere = useHarness({
    config: { email: { providers: ['smtp'] }, providers: { smtp: { url: 'smtp://127.0.0.1:9' } } },
  });

  it('404', async () => {
    const response = await elsewhere.request({ method: 'POST', url: '/notifications/email/ses', payload: '{}' });
    expect(response.status).toBe(404);
  });
});
