import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { aJob } from '../../../test/kit/builders/jobs.ts';
import { aQueuedMessage, someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { aVerifiedDomain, check, type DomainBody } from '../../../test/kit/builders/sending-domains.ts';
import { FakeDns } from '../../../test/kit/fakes/fake-dns.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { cloneDatabase } from '../../../test/kit/process/database.ts';
import { runCommand } from '../../../test/kit/process/run-command.ts';
import { bounceEmail, reply, startMailbox, startMailServer } from '../../../test/kit/vendors/mail-servers.ts';
import { aPerson, joinService, signedIn } from '../../../test/kit/world/console-people.ts';
import { metricsOf } from '../../../test/kit/world/metrics.ts';
import { newId } from '../../platform/id.ts';
import type { Readiness } from './readiness.ts';
import { measureReadiness } from './readiness-metrics.ts';

const mailServer = await startMailServer();
const mailbox = await startMailbox();
afterAll(() => Promise.all([mailServer.close(), mailbox.close()]));

const dns = new FakeDns();
let databaseUrl: string;
const harness = useHarness({
  async database() {
    const database = await cloneDatabase();
    databaseUrl = database.url;
    return database;
  },
  now: '2026-11-15T12:00:00Z',
  resolver: dns,
  config: {
    email: { providers: ['smtp'], domain: 'installation.example' },
    providers: {
      smtp: {
        ...{ url: mailServer.url, returnPath: 'bounces@mail.example' },
        ...{ imapUrl: mailbox.url, listen: '127.0.0.1:0' },
      },
    },
  },
});

let service_id: string;
let domain: DomainBody;
let count = 0;

beforeEach(async () => {
  count += 1;
  mailServer.beforeAnswer = async () => {};
  service_id = await aService(harness);
  domain = await aVerifiedDomain(harness, dns, {
    scope: 'service',
    service_id,
    name: `notify${count}.council.example`,
  });
});

const ofDomain = (id = domain.id) => harness.admin('GET', `/sending-domain/${id}/readiness`);
const ofService = (id = service_id) => harness.admin('GET', `/service/${id}/readiness`);

function rowIn({ rows }: Readiness, name: string) {
  const row = rows.find((one) => one.row === name);
  return `${row?.verdict}: ${row?.evidence}`;
}

async function send(recipients: string[], fields = {}): Promise<void> {
  const messages = recipients.map((recipient) => ({ recipient, normalised_recipient: recipient.toLowerCase() }));
  await someQueuedMessages(
    harness,
    service_id,
    messages.map((message) => ({ notification_type: 'email' as const, ...message, ...fields })),
  );
  await harness.deliver();
}

describe('GET /sending-domain/{id}/readiness', () => {
  it('200 with every row, the worst first', async () => {
    const { status, body } = await ofDomain();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      ...{ domain: domain.name, domain_kind: 'service', verdict: 'warn', nothing_is_sent: false },
    });
    expect(body.data.rows).toHaveLength(11);
    // SMTP_SERVERS is not set, the mail server offers no encryption, and the policy is the one that we propose.
    const verdicts = body.data.rows.map(({ row, verdict }: Readiness['rows'][number]) => `${row} ${verdict}`);
    expect(verdicts.slice(0, 6)).toEqual([
      ...['authentication warn', 'dmarc warn', 'encryption warn', 'server-name warn'],
      ...['complaints unknown', 'bounces unknown'],
    ]);
    expect(body.data.rows[1]).toEqual({
      row: 'dmarc',
      verdict: 'warn',
      evidence: 'There is a DMARC record, which is enough to send. It does not yet protect the domain.',
      advice: 'Set p to quarantine once the reports show that all of your emails pass.',
      sources: expect.arrayContaining([{ name: 'Gmail', url: expect.stringMatching(/^https:/) }]),
    });
  });

  it('200 with fail once DNS no longer has what receivers demand', async () => {
    delete dns.zone[`TXT _dmarc.${domain.name}`];
    await check(harness, domain.id);
    const { body } = await ofDomain();
    expect(body.data.verdict).toBe('fail');
    expect(body.data.rows[0]).toMatchObject({ row: 'dmarc', verdict: 'fail' });
  });

  it('counts emails by who has the mailbox, on their best day', async () => {
    await send(['a@gmail.com', 'b@GMAIL.com', 'c@yahoo.fr', 'd@council.example']);
    harness.clock.advance({ days: 1 });
    await send(['a@googlemail.com', 'c@hotmail.com']);
    expect(rowIn((await ofDomain()).body.data, 'volume')).toBe(
      'pass: Most emails in one day, in the last 30 days: 2 to Gmail, 1 to Outlook, 1 to others and 1 to Yahoo.',
    );
    harness.clock.advance({ days: 31 });
    expect(rowIn((await ofDomain()).body.data, 'volume')).toBe('pass: No email was sent in the last 30 days.');
  });

  it('counts nothing that only a test key sent', async () => {
    await send(['a@gmail.com'], { key_type: 'test' });
    expect(rowIn((await ofDomain()).body.data, 'volume')).toContain('No email was sent');
  });

  it('counts each message that a receiver refused because of us once, for a day', async () => {
    mailServer.beforeAnswer = async () => {
      throw reply(550, '5.7.26 This mail is unauthenticated');
    };
    await send(['a@gmail.com', 'b@gmail.com']);
    mailServer.beforeAnswer = async () => {
      throw reply(421, '4.7.28 unusual rate of mail');
    };
    await send(['c@gmail.com']);
    harness.clock.advance({ minutes: 10 });
    await harness.deliver();
    mailServer.beforeAnswer = async () => {
      throw reply(550, '5.1.1 no such user');
    };
    await send(['d@gmail.com']);
    const row = rowIn((await ofDomain()).body.data, 'refusals');
    expect(row).toBe(
      'warn: Receivers refused 3 emails of the last 24 hours. ' +
        'The email passed neither SPF nor DKIM, so the receiver could not tell who sent it. (2) ' +
        'The receiver gets too many emails from us that people do not want. (1)',
    );
    harness.clock.advance({ hours: 26 });
    expect(rowIn((await ofDomain()).body.data, 'refusals')).toMatch(/^pass/);
  });

  it('counts an email that the mail server took and a receiver refused because of us, once', async () => {
    await send(['a@gmail.com', 'b@gmail.com', 'c@gmail.com']);
    const bounces = mailServer.mails.slice(-3).map(({ from: returnPath }, index) =>
      bounceEmail('postfix-spam-rejected.soft-bounce', { returnPath })
        // The third one is about the text of the email.
        .replaceAll(/5\.7\.1\b/g, index < 2 ? '5.7.26' : '5.6.0'),
    );
    for (const bounce of [...bounces, ...bounces]) mailbox.add(bounce);
    await harness.deliver();
    const sentence = 'The email passed neither SPF nor DKIM, so the receiver could not tell who sent it. (2)';
    expect(rowIn((await ofDomain()).body.data, 'refusals')).toBe(
      `warn: Receivers refused 2 emails of the last 24 hours. ${sentence}`,
    );
  });

  it('counts bounces and complaints of its services, and not those of others', async () => {
    await outcomes(service_id, { domain_id: domain.id, sent: 1_000, hard_bounces: 100, complaints: 1 });
    const other = await aService(harness);
    const fields = { scope: 'service', service_id: other, name: 'other.council.example' };
    const { id } = await aVerifiedDomain(harness, dns, fields);
    await outcomes(other, { domain_id: id, sent: 1_000, hard_bounces: 0, complaints: 50 });
    // Before the service had its domain.
    await outcomes(service_id, { domain_id: null, sent: 1_000, hard_bounces: 0, complaints: 0 });
    const { body } = await ofDomain();
    expect(rowIn(body.data, 'bounces')).toMatch(/^fail: 10\.0%/);
    expect(rowIn(body.data, 'complaints')).toMatch(/^warn: 0\.10%/);
    harness.clock.advance({ hours: 26 });
    const later = (await ofDomain()).body.data;
    expect(rowIn(later, 'bounces')).toMatch(/^unknown: 0 emails/);
    expect(rowIn(later, 'complaints')).toMatch(/^warn/);
  });

  it('names templates of large files without an unsubscribe link', async () => {
    await aFile('Bins', 500, { has_unsubscribe_link: false });
    await aFile('Permits', 499, { has_unsubscribe_link: false });
    expect(rowIn((await ofDomain()).body.data, 'unsubscribe')).toMatch(/^fail: .*: Bins \(/);
    await aFile('Events', 9_000, { has_unsubscribe_link: true });
    expect(rowIn((await ofDomain()).body.data, 'unsubscribe')).toMatch(/^warn: .*: Bins \(/);
    harness.clock.advance({ days: 8 });
    expect(rowIn((await ofDomain()).body.data, 'unsubscribe')).toMatch(/^pass: No template/);
  });

  it('404 for an unknown or a retired domain', async () => {
    expect((await ofDomain(newId(harness.clock.now()))).status).toBe(404);
    await harness.admin('DELETE', `/sending-domain/${domain.id}`);
    expect((await ofDomain()).status).toBe(404);
  });
});

describe('GET /service/{id}/readiness', () => {
  it('200 with the domain that its emails come from', async () => {
    expect((await ofService()).body.data).toMatchObject({ domain: domain.name, domain_kind: 'service' });
  });

  it('200 with the domain of the installation without one of its own, also for a service without emails', async () => {
    const { status, body } = await ofService(await aService(harness, { permissions: ['sms'] }));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ domain: 'installation.example', domain_kind: 'installation', verdict: 'pass' });
    expect(body.data.rows[0]).toMatchObject({
      verdict: 'unknown',
      evidence: 'Nobody has added installation.example here, so we do not check it.',
    });
  });

  it('200 and says so if the sandbox keeps every email', async () => {
    const sandbox = await harness.anotherProcess({ email: { providers: ['sandbox'] } });
    const { body } = await sandbox.admin('GET', `/service/${service_id}/readiness`);
    expect(body.data.nothing_is_sent).toBe(true);
  });

  it('404 for an unknown service', async () => {
    expect((await ofService(newId(harness.clock.now()))).status).toBe(404);
  });
});

describe('those who ask', () => {
  it('the page of the service answers, and the message page says why an email was refused', async () => {
    const person = await aPerson(harness);
    await joinService(harness, service_id, person.id);
    const browser = await signedIn(harness, person.id);
    const page = await browser.get(`/console/services/${service_id}/settings/email/can-we-send`);
    expect(page.text).toContain('Yes, but improve 4 things');
    delete dns.zone[`TXT _dmarc.${domain.name}`];
    await check(harness, domain.id);
    const worse = await browser.get(`/console/services/${service_id}/settings/email/can-we-send`);
    expect(worse.text).toContain('No: 1 thing to fix');
    mailServer.beforeAnswer = async () => {
      throw reply(550, '5.7.515 Access denied');
    };
    const id = await aQueuedMessage(harness, service_id, { notification_type: 'email' });
    await harness.deliver();
    const message = await browser.get(`/console/services/${service_id}/messages/${id}`);
    expect(message.text).toContain(
      '550 5.7.515 to the message. Outlook refused the email because the domain in From does not pass SPF, DKIM and DMARC. We will not try again',
    );
  });

  it('the message page says it, too, if the refusal came as a bounce', async () => {
    const person = await aPerson(harness);
    await joinService(harness, service_id, person.id);
    const browser = await signedIn(harness, person.id);
    const id = await aQueuedMessage(harness, service_id, { notification_type: 'email' });
    await harness.deliver();
    const { from: returnPath } = mailServer.mails.at(-1) ?? { from: '' };
    mailbox.add(bounceEmail('postfix-spam-rejected.soft-bounce', { returnPath }).replaceAll('5.7.1', '5.7.30'));
    await harness.deliver();
    const message = await browser.get(`/console/services/${service_id}/messages/${id}`);
    expect(message.text).toContain('Temporary failure. The signature (DKIM) did not pass.');
  });

  it('the page of the operator lists all domains, and refuses unknown ones', async () => {
    const person = await aPerson(harness, { platform_admin: true });
    const browser = await signedIn(harness, person.id);
    const page = (await browser.get('/console/operator/can-we-send')).text;
    expect(page).toContain('We do not know yet');
    expect(page).toContain('Emails come from installation.example.');
    expect(page).toContain(`/console/operator/can-we-send?domain=${domain.name}`);
    const own = (await browser.get(`/console/operator/can-we-send?domain=${domain.name}`)).text;
    expect(own).toContain(`Emails come from ${domain.name}.`);
    expect((await browser.get('/console/operator/can-we-send?domain=other.example')).status).toBe(404);
  });

  it('the metric counts domains by row and verdict, again after a quarter of an hour', async () => {
    measureReadiness(harness.app);
    const value = async () => {
      const text = await metricsOf(harness);
      return Number(
        /^sender_readiness\{domain_kind="service",row="dmarc",verdict="fail"\} (\d+)$/m.exec(text)?.[1] ?? 0,
      );
    };
    const before = await value();
    delete dns.zone[`TXT _dmarc.${domain.name}`];
    await check(harness, domain.id);
    expect(await value()).toBe(before);
    harness.clock.advance({ minutes: 15 });
    await value();
    await expect.poll(value).toBe(before + 1);
  });

  it('pennypost doctor --email prints the rows, and fails with them', async () => {
    const environment = {
      // Vite has one of its own.
      BASE_URL: 'http://localhost:6011',
      ...{ DATABASE_URL: databaseUrl, EMAIL_DOMAIN: 'installation.example', EMAIL_PROVIDERS: 'smtp' },
      ...{ SMTP_URL: mailServer.url, SECRET_KEY: 'secret-key-of-the-test-kit-which-is-long-enough' },
    };
    const good = await runCommand(['doctor', '--email'], environment);
    expect(good).toMatchObject({ code: 0, out: expect.stringContaining('Emails of installation.example:') });
    const added = await aVerifiedDomain(harness, dns, { scope: 'installation', name: 'installation.example' });
    delete dns.zone[`TXT _dmarc.${added.name}`];
    await check(harness, added.id);
    const bad = await runCommand(['doctor', '--email'], environment);
    expect(bad).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^PROBLEM {2}dmarc +There is no DMARC record\./m),
    });
  });
});

interface Figures {
  domain_id: string | null;
  sent: number;
  hard_bounces: number;
  complaints: number;
}

async function outcomes(service: string, figures: Figures) {
  const hour = new Date(Math.floor(harness.clock.now().getTime() / 3_600_000) * 3_600_000).toISOString();
  await harness.app.db
    .insertInto('email_outcomes')
    .values({ service_id: service, hour, soft_bounces: 0, judged: true, ...figures })
    .execute();
}

/** A file that was sent, as far as statistics see it. */
async function aFile(name: string, rows: number, template: { has_unsubscribe_link: boolean }): Promise<void> {
  const template_id = await aTemplate(harness, service_id, { template_type: 'email', name });
  await harness.app.db.updateTable('templates').set(template).where('id', '=', template_id).execute();
  await aJob(harness, service_id, template_id, { notification_type: 'email', row_count: rows, rows_done: rows });
}
