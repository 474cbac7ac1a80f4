import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf, queueOf } from '../../../../test/kit/builders/queued-messages.ts';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { readSignature as signatureOf } from '../../../../test/kit/vendors/dkim-signature.ts';
import { type ReceivedMail, reply, startMailServer } from '../../../../test/kit/vendors/mail-servers.ts';
import { buildDelivery } from '../../delivery.ts';
import { requiresTls } from './smtp.ts';

const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(() => {
  const nothing = async () => {};
  Object.assign(mailServer, {
    beforeLogin: nothing,
    beforeSender: nothing,
    beforeRecipient: nothing,
    beforeAnswer: nothing,
  });
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: {
    email: { providers: ['smtp'] },
    providers: {
      smtp: {
        url: mailServer.url.replace('://', '://user:secret@'),
        ehloName: 'worker.notifications.example',
        dkimDomain: 'notifications.example',
        dkimSelector: 'post',
        dkimKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      },
    },
  },
});

async function send(fields: { normalised_recipient?: string; one_click_unsubscribe_url?: string } = {}) {
  const service_id = await aService(harness);
  await harness.admin('POST', `/service/${service_id}`, { permissions: ['email', 'suppress_recipients'] });
  const id = await aQueuedMessage(harness, service_id, { notification_type: 'email', ...fields });
  const before = harness.logged.length;
  await harness.deliver();
  const suppressed = await harness.app.db
    .selectFrom('suppressed_recipients')
    .select('reason')
    .where('service_id', '=', service_id)
    .execute();
  return { ...(await messageOf(harness, id)), suppressed, lines: harness.logged.slice(before).join('') };
}

function mailOf(id: string): ReceivedMail {
  const mail = mailServer.mails.find(({ text }) => text.includes(`<${id}@`));
  if (!mail) throw new Error('The message was not sent');
  return mail;
}

it('names itself to the mail server as SMTP_EHLO_NAME says', async () => {
  const { id } = await send();
  expect(mailOf(id).client).toBe('worker.notifications.example');
});

describe('SMTP without encryption', () => {
  it.each([
    ['smtp://mail.example.org:587', true, true],
    ['smtp://user:secret@192.0.43.8', true, true],
    ['smtp://mail.example.org:587', false, false],
    ['smtp://127.0.0.1:25', true, false],
    ['smtp://10.1.2.3:25', true, false],
    ['smtp://[::1]:25', true, false],
    ['smtp://mailpit:1025', true, false],
  ])('%s with SMTP_REQUIRE_TLS=%s is rejected: %s', (url, requireTls, refused) => {
    expect(requiresTls({ url, requireTls })).toBe(refused);
  });
});

describe('an email over SMTP', () => {
  it('is delivered when the server has accepted it, because SMTP has no receipts', async () => {
    const { id, ...message } = await send();
    const mail = mailOf(id);
    expect(mail.to).toBe('ada@example.org');
    expect(mail.from).toMatch(/@notifications\.example$/);
    expect(mail.text).toContain(`Message-ID: <${id}@notifications.example>`);
    expect(mail.text).toContain('Reply-To: reply@example.org');
    expect(mail.text).toContain('Content-Type: multipart/alternative');
    expect(message).toMatchObject({ status: 'delivered', provider: 'smtp' });
    expect(message.sent_at).not.toBeNull();
  });

  it('has a valid DKIM signature, which covers both headers of the unsubscribe button', async () => {
    const { id } = await send({ one_click_unsubscribe_url: 'https://example.org/unsubscribe' });
    const { tags, isValid } = readSignature(mailOf(id).text);
    expect(tags).toMatchObject({ v: '1', a: 'rsa-sha256', d: 'notifications.example', s: 'post' });
    const signed = tags.h?.split(':') ?? [];
    for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'reply-to', 'mime-version', 'content-type'])
      expect(signed).toContain(name);
    expect(signed).toContain('list-unsubscribe');
    expect(signed).toContain('list-unsubscribe-post');
    expect(isValid).toBe(true);
  });

  it('is sent whole and signed when it is long', async () => {
    const content = 'See https://example.org/a?b=c for £5.\n\n'.repeat(5_000);
    const service_id = await aService(harness);
    const template_id = await aTemplate(harness, service_id, { template_type: 'email', subject: 'Long', content });
    const id = await aQueuedMessage(harness, service_id, { notification_type: 'email', template_id });
    await harness.deliver();
    const { text } = mailOf(id);
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(text.match(/for =C2=A35\.\r\n/g)).toHaveLength(5_000);
    expect(readSignature(text).isValid).toBe(true);
  });

  it('without an unsubscribe button signs neither of its headers', async () => {
    const { id } = await send();
    const { tags, isValid } = readSignature(mailOf(id).text);
    expect(tags.h).not.toContain('list-');
    expect(isValid).toBe(true);
  });
});

/** Verifies with the relaxed rules of RFC 6376, apart from fetching the key. */
function readSignature(text: string) {
  return signatureOf(text, publicKey);
}

const address = 'relay-team.5.7.1@example.org';
const failed = [
  // The address or the mailbox: the same as in a bounce.
  ['550', '5.1.1 <ADDRESS>: Recipient address rejected: User unknown', 'permanent-failure'],
  ['550', 'ADDRESS: no such user, relay-team is unknown here', 'permanent-failure'],
  ['550', '5.0.0 no such user', 'permanent-failure'],
  ['501', '5.1.3 Bad recipient address syntax', 'permanent-failure'],
  ['550', '5.4.1 Recipient address rejected: Access denied', 'permanent-failure'],
  ['550', '5.2.2 <ADDRESS> mailbox full', 'temporary-failure'],
  ['552', 'mailbox full', 'temporary-failure'],
  ['552', '5.3.4 Message size exceeds fixed limit', 'temporary-failure'],
  ['550', '5.7.1 <ADDRESS>: Recipient address rejected: blocked by policy', 'temporary-failure'],
  ['554', 'transaction failed', 'temporary-failure'],
] as const;
const retried = [
  // The server rejects us, or takes no mail at all.
  ['554', '5.7.1 <ADDRESS>: Relay access denied'],
  ['550', '5.7.1 Unable to relay for ADDRESS'],
  ['550', '5.7.1 <ADDRESS>... Relaying denied'],
  ['550', 'relay not permitted'],
  ['550', '5.7.54 SMTP; Unable to relay recipient in non-accepted domain'],
  ['553', "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
  ['530', '5.7.0 Authentication required'],
  ['535', '5.7.8 Error: authentication failed'],
  ['550', '5.7.60 SMTP; Client does not have permissions to send as this sender'],
  ['550', '5.4.5 Daily user sending limit exceeded'],
  ['521', '5.3.2 system not accepting network messages'],
  ['451', '4.3.0 try again'],
  ['450', '4.2.0 <ADDRESS>: Recipient address rejected: Greylisted'],
] as const;

describe.each(['RCPT TO', 'DATA'] as const)('an email whose %s is rejected', (command) => {
  const rejectWith = (code: string, text: string) => {
    const reject = async () => {
      throw reply(Number(code), text.replaceAll('ADDRESS', address));
    };
    Object.assign(mailServer, command === 'DATA' ? { beforeAnswer: reject } : { beforeRecipient: reject });
  };

  it.each(failed)('with %s %s has failed: %s', async (code, text, status) => {
    rejectWith(code, text);
    const message = await send({ normalised_recipient: address });
    expect(message.status).toBe(status);
    expect(message.suppressed).toEqual(status === 'permanent-failure' ? [{ reason: 'hard-bounce' }] : []);
    expect(await queueOf(harness, message.id)).toBeUndefined();
    const [enhanced = ''] = /^5\.\d+\.\d+/.exec(text) ?? [];
    expect(message.lines).toContain(`"reason":"${[code, enhanced].filter(Boolean).join(' ')} to the`);
    expect(message.lines).not.toContain('relay-team');
  });

  it.each(retried)('with %s %s is retried', async (code, text) => {
    rejectWith(code, text);
    const message = await send({ normalised_recipient: address });
    expect(message).toMatchObject({ status: 'created', suppressed: [] });
    expect(await queueOf(harness, message.id)).toMatchObject({ attempts: 1, outcome_known: true });
    expect(message.lines).not.toContain('relay-team');
  });
});

describe('an email for which the server', () => {
  const status = async () => (await send()).status;

  it.each([
    ['beforeLogin', 535, '5.7.8 Error: authentication failed'],
    ['beforeSender', 530, '5.7.0 Authentication required'],
    ['beforeSender', 550, '5.7.1 sender rejected'],
    ['beforeSender', 550, '5.1.8 sender domain not found'],
  ] as const)('rejects us (%s, %d %s) is retried', async (step, code, text) => {
    // A pooled connection has logged in already.
    const { app } = await harness.anotherProcess();
    Object.assign(mailServer, { [step]: () => Promise.reject(reply(code, text)) });
    const delivery = buildDelivery(app);
    const id = await aQueuedMessage(harness, await aService(harness), { notification_type: 'email' });
    await delivery.runOnce();
    await delivery.stop();
    expect((await messageOf(harness, id)).status).toBe('created');
    expect(await queueOf(harness, id)).toMatchObject({ attempts: 1, outcome_known: true });
  });

  it('rejects the size has failed: a retry is no smaller', async () => {
    mailServer.beforeSender = () => Promise.reject(reply(552, '5.3.4 message too big'));
    expect(await status()).toBe('temporary-failure');
  });
});
