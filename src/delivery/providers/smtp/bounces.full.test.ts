import { sql } from 'kysely';
import { createTransport } from 'nodemailer';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  aQueuedMessage,
  messageOf,
  queueOf,
  someQueuedMessages,
} from '../../../../test/kit/builders/queued-messages.ts';
import { aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aCertificate } from '../../../../test/kit/vendors/certificate.ts';
import {
  bounceEmail,
  freePort,
  mailboxUser,
  type ReceivedMail,
  startMailbox,
  startMailServer,
} from '../../../../test/kit/vendors/mail-servers.ts';
import { listComplaints } from '../../../complaints/complaints.ts';
import { newId } from '../../../platform/id.ts';
import { buildDelivery } from '../../delivery.ts';
import { ReturnPaths } from './return-path.ts';

const mailServer = await startMailServer();
const mailbox = await startMailbox();
const port = await freePort();
afterAll(async () => {
  await mailServer.close();
  await mailbox.close();
});
beforeEach(() => {
  mailServer.beforeAnswer = async () => {};
});

const certificate = aCertificate(
  { from: new Date('2020-01-01T00:00:00Z'), until: new Date('2040-01-01T00:00:00Z') },
  'bounces.example',
);
const smtp = {
  url: mailServer.url,
  returnPath: 'bounces@mail.example',
  imapUrl: mailbox.url,
  listen: `127.0.0.1:${port}`,
  listenCertificate: certificate.pem,
  listenKey: certificate.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: { email: { providers: ['smtp'] }, providers: { smtp } },
});

async function send(): Promise<{ id: string; mail: ReceivedMail }> {
  const id = await aQueuedMessage(harness, await aService(harness), { notification_type: 'email' });
  await harness.deliver();
  return { id, mail: mailOf(id) };
}

function mailOf(id: string): ReceivedMail {
  const mail = mailServer.mails.findLast(({ from }) => from.includes(id.replaceAll('-', '')));
  if (!mail) throw new Error('The message was not sent');
  return mail;
}

const statusOf = async (id: string) => (await messageOf(harness, id)).status;
const bounce = (name: string, { from: returnPath }: ReceivedMail) => mailbox.add(bounceEmail(name, { returnPath }));
const complaintsAbout = async (id: string) =>
  (await listComplaints(harness.app, 1)).complaints.filter(({ notification_id }) => notification_id === id);

describe('an email over SMTP with a return path', () => {
  it('has its own signed return path, and asks for reports without its content', async () => {
    const { id, mail } = await send();
    expect(mail.from).toMatch(/^bounces\+[0-9a-f]{32}\.[0-9a-z]{16}@mail\.example$/);
    expect(mail.text).toMatch(/^From: .*@notifications\.example/m);
    expect(mail.dsn).toEqual({
      ret: 'HDRS',
      envid: mail.from.slice('bounces+'.length, -'@mail.example'.length),
      notify: 'FAILURE',
    });
    expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider: 'smtp' });
  });

  it('counts as delivered after 15 minutes without a report', async () => {
    const { id } = await send();
    harness.clock.advance({ minutes: 14 });
    await harness.deliver();
    expect(await statusOf(id)).toBe('sending');
    harness.clock.advance({ minutes: 2 });
    await harness.deliver();
    expect(await statusOf(id)).toBe('delivered');
  });

  it('counts as delivered after an outage of all workers, too', async () => {
    const { id } = await send();
    await harness.app.db.deleteFrom('unfinished_messages').execute();
    harness.clock.advance({ hours: 73 });
    await harness.addTask('time-out-messages');
    await harness.runTasks();
    expect(await statusOf(id)).toBe('delivered');
  });

  it.each([
    ['postfix-unknown-user.hard-bounce', 'permanent-failure'],
    ['exim-old-plain-text.hard-bounce', 'permanent-failure'],
    ['postfix-mailbox-full.soft-bounce', 'temporary-failure'],
    ['qmail-unclear.soft-bounce', 'temporary-failure'],
    ['postfix-success.delivered', 'delivered'],
    ['postfix-delayed.delayed', 'sending'],
    ['out-of-office.auto-reply', 'sending'],
    ['own-message-in-a-loop.other', 'sending'],
  ])('%s in the mailbox makes it %s', async (name, status) => {
    const { id, mail } = await send();
    bounce(name, mail);
    await harness.deliver();
    expect(await statusOf(id)).toBe(status);
    expect(mailbox.counts().INBOX).toBe(0);
  });

  it('that bounced after it counted as delivered is corrected, once', async () => {
    const { id, mail } = await send();
    harness.clock.advance({ minutes: 16 });
    await harness.deliver();
    bounce('postfix-expired.soft-bounce', mail);
    await harness.deliver();
    const corrected = await messageOf(harness, id);
    expect(corrected.status).toBe('temporary-failure');
    bounce('postfix-unknown-user.hard-bounce', mail);
    bounce('postfix-success.delivered', mail);
    harness.clock.advance({ minutes: 1 });
    await harness.deliver();
    expect(await messageOf(harness, id)).toEqual(corrected);
  });

  it('has one complaint of a type, however often it is reported, and keeps its status', async () => {
    const { id, mail } = await send();
    bounce('yahoo-abuse.complaint', mail);
    bounce('yahoo-abuse.complaint', mail);
    await harness.deliver();
    bounce('aol-abuse.complaint', mail);
    await harness.deliver();
    expect(await complaintsAbout(id)).toMatchObject([{ complaint_type: 'abuse', ses_feedback_id: `abuse.${id}` }]);
    expect(await statusOf(id)).toBe('sending');
  });
});

describe('the mailbox', () => {
  it('is read again if its emails were recorded and could not be moved', async () => {
    const { id, mail } = await send();
    bounce('postfix-unknown-user.hard-bounce', mail);
    bounce('yahoo-abuse.complaint', mail);
    mailbox.refuseNextMove();
    await expect(harness.deliver()).rejects.toThrow('moved');
    expect(await statusOf(id)).toBe('permanent-failure');
    expect(mailbox.counts().INBOX).toBe(2);
    await harness.deliver();
    expect(mailbox.counts().INBOX).toBe(0);
    expect(await complaintsAbout(id)).toHaveLength(1);
  });

  it('keeps forged reports, reports about deleted messages and large ones apart, and logs no addresses', async () => {
    const { id, mail } = await send();
    const before = mailbox.counts();
    const forged = mail.from.replace(/\.[0-9a-z]{16}@/, '.0123456789abcdef@');
    const unknown = new ReturnPaths('bounces@mail.example', harness.app.secrets).addressOf(newId(harness.clock.now()));
    for (const returnPath of [forged, unknown, 'bounces@mail.example']) {
      mailbox.add(bounceEmail('postfix-unknown-user.hard-bounce', { returnPath }));
    }
    await harness.deliver();
    expect(await statusOf(id)).toBe('sending');
    mailbox.add(`${bounceEmail('exim-unknown-user.hard-bounce', { returnPath: mail.from })}${'x'.repeat(30_000_000)}`);
    await harness.deliver();
    expect(await statusOf(id)).toBe('permanent-failure');
    expect(mailbox.counts()).toEqual({
      INBOX: 0,
      Processed: before.Processed + 2,
      Unrecognised: before.Unrecognised + 2,
    });
    const lines = harness.logged.join('');
    expect(lines).toContain('receipt.unmatched');
    expect(lines).not.toMatch(/ada@example|bounces\+|bounces@/i);
  });

  it('keeps bounces that cannot be recorded yet, and reads on behind more than 100 of them', async () => {
    const { db } = harness.app;
    const [stuckService, service] = [await aService(harness), await aService(harness)];
    const emails = (length: number) => Array.from({ length }, () => ({ notification_type: 'email' as const }));
    const stuck = await someQueuedMessages(harness, stuckService, emails(110));
    const others = await someQueuedMessages(harness, service, emails(3));
    await harness.deliver();
    const before = mailbox.counts();
    // The test behaves as if each statement about this service took too long.
    await sql`create function too_slow() returns trigger language plpgsql as
      $$begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end$$`.execute(
      db,
    );
    await sql`create trigger too_slow before update on notifications for each row
      when (old.service_id = ${sql.lit(stuckService)}) execute function too_slow()`.execute(db);
    for (const id of [...stuck, ...others]) bounce('postfix-unknown-user.hard-bounce', mailOf(id));
    await expect(harness.deliver()).rejects.toThrow();
    await harness.deliver();
    expect(new Set(await Promise.all(others.map(statusOf)))).toEqual(new Set(['permanent-failure']));
    expect(mailbox.counts()).toEqual({ ...before, INBOX: stuck.length, Processed: before.Processed + others.length });
    expect(harness.logged.filter((line) => line.includes('"reports.postponed"'))).toHaveLength(1);
    await sql`drop function too_slow cascade`.execute(db);
    await harness.deliver();
    expect(new Set(await Promise.all(stuck.map(statusOf)))).toEqual(new Set(['permanent-failure']));
    expect(mailbox.counts()).toMatchObject({ INBOX: 0, Unrecognised: before.Unrecognised });
  }, 60_000);

  it('is read by one process at a time', async () => {
    await harness.deliver();
    const other = buildDelivery((await harness.anotherProcess()).app);
    const before = mailbox.connections();
    const { id, mail } = await send();
    bounce('postfix-unknown-user.hard-bounce', mail);
    // The port of the listener is in use, too.
    await expect(other.runOnce()).rejects.toThrow('EADDRINUSE');
    expect(mailbox.connections()).toBe(before);
    expect(await statusOf(id)).toBe('sending');
    harness.clock.advance({ minutes: 3 });
    await expect(other.runOnce()).rejects.toThrow('EADDRINUSE');
    expect(await statusOf(id)).toBe('permanent-failure');
    await other.stop();
    await harness.deliver();
    expect(mailbox.connections()).toBe(before + 1);
  });

  it('is connected to again after an outage, which is logged once and measured', async () => {
    const { id, mail } = await send();
    harness.clock.advance({ minutes: 3 });
    const ownPort = await freePort();
    const imapUrl = `imap://${mailboxUser}:secret@127.0.0.1:${ownPort}`;
    const { app } = await harness.anotherProcess({ providers: { smtp: { imapUrl, listen: undefined } } });
    const delivery = buildDelivery(app);
    const logged = (event: string) => harness.logged.filter((line) => line.includes(`"${event}"`));
    delivery.start();
    await expect.poll(() => logged('reports.failed'), { timeout: 20_000 }).toHaveLength(1);
    expect(logged('reports.failed')[0]).toContain('"reason":"ECONNREFUSED"');
    const ownMailbox = await startMailbox(ownPort);
    // It closes when its clients have left.
    onTestFinished(async () => {
      await delivery.stop();
      await ownMailbox.close();
    });
    ownMailbox.add(bounceEmail('postfix-unknown-user.hard-bounce', { returnPath: mail.from }));
    await expect.poll(() => logged('reports.resumed'), { timeout: 20_000 }).toHaveLength(1);
    expect(await statusOf(id)).toBe('permanent-failure');
    const figures = await app.metrics.registry.metrics();
    expect(figures).toContain('provider_reports_total{provider="smtp",kind="hard-bounce"} 1');
    const read = Math.floor(harness.clock.now().getTime() / 1_000);
    expect(figures).toContain(
      `provider_reports_received_timestamp_seconds{provider="smtp",receiver="bounce mailbox"} ${read}`,
    );
  }, 60_000);
});

describe('300 emails, of which 30 bounce and 10 are complained about', () => {
  it('exactly those get permanent-failure and complaints', async () => {
    const service = await aService(harness);
    const fields = Array.from({ length: 300 }, () => ({ notification_type: 'email' as const }));
    const ids = await someQueuedMessages(harness, service, fields);
    await harness.deliver();
    const bounced = ids.slice(0, 30);
    const complained = ids.slice(30, 40);
    for (const id of bounced) bounce('postfix-unknown-user.hard-bounce', mailOf(id));
    for (const id of complained) bounce('yahoo-abuse.complaint', mailOf(id));
    for (const id of ids.slice(40, 60)) bounce('out-of-office.auto-reply', mailOf(id));
    for (const id of ids.slice(60, 70)) bounce('postfix-delayed.delayed', mailOf(id));
    await harness.deliver();
    harness.clock.advance({ minutes: 16 });
    await harness.deliver();
    const rows = await harness.app.db
      .selectFrom('notifications')
      .select(['id', 'status'])
      .where('service_id', '=', service)
      .execute();
    const having = (status: string) => rows.filter((row) => row.status === status).map(({ id }) => id);
    expect(having('permanent-failure').sort()).toEqual(bounced.toSorted());
    expect(having('delivered')).toHaveLength(270);
    const { complaints } = await listComplaints(harness.app, 1);
    const ofService = complaints.filter(({ service_id }) => service_id === service);
    expect(ofService.map(({ notification_id }) => notification_id).sort()).toEqual(complained.toSorted());
  }, 180_000);
});

describe('the listener', () => {
  const deliver = (to: string | string[], raw: string, tls: object = { ignoreTLS: true }) => {
    const transport = createTransport({ host: '127.0.0.1', port, secure: false, ...tls });
    return transport.sendMail({ envelope: { from: '', to }, raw });
  };

  it('takes a bounce to the return path of a message, and of a large one the beginning', async () => {
    const { id, mail } = await send();
    const raw = bounceEmail('exim-unknown-user.hard-bounce', { returnPath: mail.from });
    await deliver(mail.from, `${raw}${'x'.repeat(3_000_000)}`);
    expect(await statusOf(id)).toBe('permanent-failure');
  });

  it('takes a bounce over STARTTLS, with its own certificate', async () => {
    const { id, mail } = await send();
    const raw = bounceEmail('postfix-unknown-user.hard-bounce', { returnPath: mail.from });
    const servername = 'bounces.example';
    const secure = (ca: string) => ({ requireTLS: true, tls: { ca, servername, minVersion: 'TLSv1.2' } });
    const other = aCertificate({ from: new Date('2020-01-01'), until: new Date('2040-01-01') }, servername);
    await expect(deliver(mail.from, raw, secure(other.pem))).rejects.toThrow();
    expect(await statusOf(id)).toBe('sending');
    await deliver(mail.from, raw, secure(certificate.pem));
    expect(await statusOf(id)).toBe('permanent-failure');
  });

  it('451 while the database is away: the sender keeps the bounce, and it is recorded when repeated', async () => {
    const { id, mail } = await send();
    const raw = bounceEmail('postfix-unknown-user.hard-bounce', { returnPath: mail.from });
    const database = (await harness.app.pool.query('select current_database() as name')).rows[0].name;
    const server = new pg.Client({ connectionString: harness.serverUrl });
    await server.connect();
    onTestFinished(async () => {
      await server.query(`alter database ${database} allow_connections true`);
      await server.end();
    });
    await server.query(`alter database ${database} allow_connections false`);
    await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
    await expect(deliver(mail.from, raw)).rejects.toMatchObject({ responseCode: 451 });
    await server.query(`alter database ${database} allow_connections true`);
    expect(await statusOf(id)).toBe('sending');
    await deliver(mail.from, raw);
    expect(await statusOf(id)).toBe('permanent-failure');
  });

  it.each([
    ['someone@example.org'],
    ['bounces@mail.example'],
    ['bounces+0192f0000000700080000000000000aa.0123456789abcdef@mail.example'],
  ])('550 for %s: it relays nothing, and takes no forged report', async (to) => {
    await expect(deliver(to, 'Subject: x\r\n\r\nx')).rejects.toMatchObject({ responseCode: 550 });
  });

  it('takes a report about one message, and the sender repeats it for another', async () => {
    const [one, other] = [await send(), await send()];
    const raw = bounceEmail('postfix-unknown-user.hard-bounce', { returnPath: one.mail.from });
    const { rejectedErrors } = await deliver([one.mail.from, other.mail.from], raw);
    expect(rejectedErrors?.map((error) => error.responseCode)).toEqual([452]);
    expect([await statusOf(one.id), await statusOf(other.id)]).toEqual(['permanent-failure', 'sending']);
  });

  it('takes a bounce that arrives before the server has answered; the message is not sent again', async () => {
    mailServer.beforeAnswer = async ({ from }) => {
      await deliver(from, bounceEmail('postfix-unknown-user.hard-bounce', { returnPath: from }));
    };
    const { id } = await send();
    const message = await messageOf(harness, id);
    expect(message).toMatchObject({ status: 'permanent-failure', provider: 'smtp' });
    expect(message.sent_at).not.toBeNull();
    expect(await queueOf(harness, id)).toBeUndefined();
    harness.clock.advance({ minutes: 16 });
    await harness.deliver();
    expect(await statusOf(id)).toBe('permanent-failure');
    expect(mailServer.mails.filter(({ from }) => from.includes(id.replaceAll('-', '')))).toHaveLength(1);
  });
});
