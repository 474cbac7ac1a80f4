import { createPublicKey } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf, queueOf, someQueuedMessages } from '../../test/kit/builders/queued-messages.ts';
import { anOrganisation, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { addDomain, aVerifiedDomain, check, type DomainBody } from '../../test/kit/builders/sending-domains.ts';
import { FakeDns } from '../../test/kit/fakes/fake-dns.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { readSignature } from '../../test/kit/vendors/dkim-signature.ts';
import { type ReceivedMail, reply, startMailServer } from '../../test/kit/vendors/mail-servers.ts';
import { postmark } from './providers/email/postmark.ts';
import type { EmailMessage } from './providers/provider.ts';
import { providers } from './providers/providers.ts';

const mailServer = await startMailServer();
afterAll(() => mailServer.close());

/** A provider that signs nothing for our domains: it has the keys of those that were added there. */
const atProvider: EmailMessage[] = [];
const withKeys = {
  ...postmark,
  open: () => ({
    name: postmark.name,
    send: async (message: EmailMessage) => {
      atProvider.push(message);
      return { kind: 'accepted' as const, final: 'delivered' as const };
    },
  }),
};

const dns = new FakeDns();
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  resolver: dns,
  providers: providers.map((provider) => (provider.name === postmark.name ? withKeys : provider)),
  config: {
    email: { providers: ['smtp', 'postmark'], domain: 'installation.example' },
    providers: { smtp: { url: mailServer.url, returnPath: 'bounces@mail.example', listen: '127.0.0.1:0' } },
  },
});

let service_id: string;
let count = 0;
function aName(): string {
  count += 1;
  return `notify${count}.council.example`;
}

const ofService = () => ({ scope: 'service', service_id, name: aName() });

beforeEach(async () => {
  service_id = await aService(harness);
  mailServer.beforeSender = async () => {};
  await prefer('smtp');
});

async function prefer(name: string): Promise<void> {
  await harness.app.db
    .updateTable('provider_details')
    .set((row) => ({ priority: row.case().when('identifier', '=', name).then(100).else(0).end() }))
    .where('notification_type', '=', 'email')
    .execute();
}

async function send(fields: { service_id?: string; template_id?: string } = {}): Promise<string> {
  const id = await aQueuedMessage(harness, fields.service_id ?? service_id, { notification_type: 'email', ...fields });
  await harness.deliver();
  return id;
}

function mailOf(id: string): ReceivedMail {
  const mail = mailServer.mails.find(({ text }) => text.includes(`<${id}@`));
  if (!mail) throw new Error('The message was not sent');
  return mail;
}

function senderOf(id: string): string | undefined {
  return /^From: .*@([^>\s]+)>?\r$/m.exec(mailOf(id).text)?.[1];
}

/** As a receiver sees it: with the key that DNS has at the selector. */
function signatureOf({ text }: ReceivedMail) {
  const [selector = '', domain = ''] = (['s', 'd'] as const).map((tag) => tagOf(text, tag));
  const [record = ''] = (dns.zone[`TXT ${selector}._domainkey.${domain}`] ?? []) as string[];
  const key = Buffer.from(/p=(\S+)/.exec(record)?.[1] ?? '', 'base64');
  if (key.length === 0) return { selector, domain, isValid: false };
  const { isValid } = readSignature(text, createPublicKey({ key, format: 'der', type: 'spki' }));
  return { selector, domain, isValid };
}

function tagOf(text: string, tag: 's' | 'd'): string {
  const header = /^DKIM-Signature:((?:.*\r\n[ \t])*.*)/m.exec(text)?.[1] ?? '';
  return new RegExp(`[;\\s]${tag}=([^;\\s]+)`).exec(header)?.[1] ?? '';
}

describe('the domain of an email', () => {
  it('is that of the installation without any other, unsigned as before', async () => {
    const id = await send();
    expect(senderOf(id)).toBe('installation.example');
    expect(mailOf(id).text).not.toContain('DKIM-Signature');
    expect(mailOf(id).from).toMatch(/@mail\.example$/);
  });

  it('is the service’s own once it is verified, with a signature that the published record proves', async () => {
    const { body } = await addDomain(harness, ofService());
    const pending = await send();
    expect(senderOf(pending)).toBe('installation.example');
    const domain = await aVerifiedDomain(harness, dns, ofService());
    await harness.admin('POST', `/service/${service_id}`, { sending_domain_id: domain.id });
    const id = await send();
    expect(senderOf(id)).toBe(domain.name);
    expect(mailOf(id).text).toContain(`Message-ID: <${id}@${domain.name}>`);
    expect(signatureOf(mailOf(id))).toEqual({ selector: 'pp2611a', domain: domain.name, isValid: true });
    expect(body.data.state).toBe('pending');
  });

  it('is that of the organisation without one of its own, and the installation’s after the domain is retired', async () => {
    const organisation_id = await anOrganisation(harness);
    const domain = await aVerifiedDomain(harness, dns, { scope: 'organisation', organisation_id, name: aName() });
    service_id = await aService(harness, { organisation_id });
    expect(senderOf(await send())).toBe(domain.name);
    const own = await aVerifiedDomain(harness, dns, ofService());
    expect(senderOf(await send())).toBe(own.name);
    await harness.admin('DELETE', `/sending-domain/${own.id}`);
    expect(senderOf(await send())).toBe(domain.name);
    await harness.admin('DELETE', `/sending-domain/${domain.id}`);
    expect(senderOf(await send())).toBe('installation.example');
  });

  it('is the installation’s where domains are off', async () => {
    await aVerifiedDomain(harness, dns, ofService());
    const { app } = await harness.anotherProcess({ domains: { mode: 'off' } });
    const { sending_domain_id } = await app.db
      .selectFrom('services')
      .select('sending_domain_id')
      .where('id', '=', service_id)
      .executeTakeFirstOrThrow();
    const chosen = { sending_domain_id, organisation_domain_id: null };
    expect(await harness.app.senderDomains.choose(service_id, chosen)).toBeDefined();
    expect(await app.senderDomains.choose(service_id, chosen)).toBeUndefined();
  });

  it('of the installation is signed with a key that was made here, too', async () => {
    const domain = await aVerifiedDomain(harness, dns, { scope: 'installation', name: 'installation.example' });
    const id = await send();
    expect(signatureOf(mailOf(id))).toMatchObject({ domain: 'installation.example', isValid: true });
    await harness.admin('DELETE', `/sending-domain/${domain.id}`);
    expect(mailOf(await send()).text).not.toContain('DKIM-Signature');
  });
});

describe('a domain that a provider cannot send from', () => {
  it('gives way to that of the installation for that message', async () => {
    const domain = await aVerifiedDomain(harness, dns, ofService());
    mailServer.beforeSender = async () => {
      throw reply(451, '4.3.0 try again later');
    };
    const id = await send();
    expect((await messageOf(harness, id)).status).toBe('created');
    harness.clock.advance({ minutes: 6 });
    await harness.deliver();
    const message = atProvider.find(({ reference }) => reference === id);
    expect(message?.from.address).toMatch(/@installation\.example$/);
    expect(message?.signature).toBeUndefined();
    mailServer.beforeSender = async () => {};
    expect(senderOf(await send())).toBe(domain.name);
  });

  it('is used by the provider that has its keys, and by no other', async () => {
    const records = [{ type: 'TXT', name: 'pm._domainkey.x.example', value: 'k=rsa; p=abc', purpose: 'signature' }];
    const { body } = await addDomain(harness, { ...ofService(), way: 'provider', provider: 'postmark', records });
    expect(body.data.records).toContainEqual(
      expect.objectContaining({ name: 'pm._domainkey.x.example', needed: true }),
    );
    await harness.app.db
      .updateTable('sending_domains')
      .set({ state: 'verified' })
      .where('id', '=', body.data.id)
      .execute();
    await prefer('postmark');
    const { senderDomains } = harness.app;
    const of = { sending_domain_id: body.data.id, organisation_domain_id: null };
    expect(await senderDomains.choose(service_id, of)).toMatchObject({ way: 'provider', provider: 'postmark' });
    expect(senderOf(await send())).toBe('installation.example');
  });
});

describe('a suspended domain', () => {
  const suspend = async (id: string) => {
    const { db, changeListener } = harness.app;
    await db.updateTable('sending_domains').set({ state: 'suspended' }).where('id', '=', id).execute();
    await changeListener.catchUp();
  };

  it('is passed over', async () => {
    const domain = await aVerifiedDomain(harness, dns, ofService());
    await suspend(domain.id);
    expect(senderOf(await send())).toBe('installation.example');
  });

  it('holds its emails if its owner wants that, until it is verified again', async () => {
    const domain = await aVerifiedDomain(harness, dns, { ...ofService(), hold: true });
    await suspend(domain.id);
    const id = await send();
    expect((await messageOf(harness, id)).status).toBe('created');
    // Waiting is no attempt.
    expect(await queueOf(harness, id)).toMatchObject({ attempts: 0 });
    await check(harness, domain.id);
    harness.clock.advance({ minutes: 5 });
    await harness.deliver();
    expect(senderOf(id)).toBe(domain.name);
  });

  it('holds them no longer than DELIVERY_EXPIRY_H', async () => {
    const domain = await aVerifiedDomain(harness, dns, { ...ofService(), hold: true });
    await suspend(domain.id);
    const id = await send();
    harness.clock.advance({ hours: 73 });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('technical-failure');
  });
});

describe('the return path', () => {
  it('is that of the domain while mail to it arrives, else that of the installation', async () => {
    const owner = ofService();
    const return_path_domain = `bounces.${owner.name}`;
    const domain = await aVerifiedDomain(harness, dns, { ...owner, return_path_domain });
    const bounces = ({ records }: DomainBody) => records.find(({ purpose }) => purpose === 'return-path');
    expect(bounces(domain)).toMatchObject({ type: 'MX', value: '10 mail.example', needed: false, verdict: 'fail' });
    expect(mailOf(await send()).from).toMatch(/@mail\.example$/);
    dns.zone[`MX ${return_path_domain}`] = ['10 other.example'];
    dns.zone['A other.example'] = ['192.0.2.8'];
    expect(bounces(await check(harness, domain.id))).toMatchObject({ verdict: 'fail', reason: 'mx-elsewhere' });
    expect(mailOf(await send()).from).toMatch(/@mail\.example$/);
    dns.zone[`MX ${return_path_domain}`] = ['10 mail.example'];
    await check(harness, domain.id);
    // Announced with the next change of the domain.
    await harness.admin('POST', `/sending-domain/${domain.id}`, { hold: true });
    const { from } = mailOf(await send());
    expect(from).toMatch(/^bounces\+[0-9a-f]{32}\.[0-9a-z]{16}@bounces\.notify\d+\.council\.example$/);
    // Nothing has checked the new one, and a check that asked about the former one does not count.
    const change = { return_path_domain: `other.${owner.name}` };
    expect((await harness.admin('POST', `/sending-domain/${domain.id}`, change)).status).toBe(200);
    expect(mailOf(await send()).from).toMatch(/@mail\.example$/);
  });
});

describe('a change of keys under load', () => {
  it('leaves no message unsigned, and signs none with a key that was erased', async () => {
    const domain = await aVerifiedDomain(harness, dns, ofService());
    const path = `/sending-domain/${domain.id}`;
    const current = async (): Promise<DomainBody> => (await harness.admin('GET', path)).body.data;
    const publishAll = async () => {
      for (const { type, name, value } of (await current()).records) dns.zone[`${type} ${name}`] = [value];
    };
    const expected: { ids: string[]; usable: string[] }[] = [];
    const whileSending = async (work: () => Promise<unknown>) => {
      const before = await current();
      const ids = await someQueuedMessages(
        harness,
        service_id,
        Array.from({ length: 25 }, () => ({ notification_type: 'email' as const })),
      );
      const sending = harness.deliver();
      await work();
      await sending;
      const usable = [...before.keys, ...(await current()).keys]
        .filter(({ state }) => state === 'signing')
        .map(({ selector }) => selector);
      expected.push({ ids, usable });
    };
    for (let round = 0; round < 2; round += 1) {
      await whileSending(() => harness.admin('POST', `${path}/keys`, {}));
      await publishAll();
      await check(harness, domain.id);
      harness.clock.advance({ hours: 2 });
      await whileSending(() => check(harness, domain.id));
      const next = (await current()).keys.find(({ state }) => state === 'ready');
      await whileSending(() => harness.admin('POST', `${path}/keys/${next?.id}/use`, {}));
      harness.clock.advance({ days: 7 });
      await whileSending(async () => {
        await harness.addTask('check-sending-domains');
        await harness.runTasks();
      });
    }
    const signatures = expected.map(({ ids }) => ids.map((id) => signatureOf(mailOf(id))));
    expect(signatures.flat().filter(({ isValid }) => !isValid)).toEqual([]);
    expect(signatures.flat().filter((one) => one.domain !== domain.name)).toEqual([]);
    for (const [index, { usable }] of expected.entries()) {
      expect(signatures[index]?.filter(({ selector }) => !usable.includes(selector))).toEqual([]);
    }
    expect(new Set(signatures.flat().map(({ selector }) => selector)).size).toBe(3);
  }, 120_000);
});

describe('an email', () => {
  it('has the name of its service in one header, whatever the name contains', async () => {
    await aVerifiedDomain(harness, dns, ofService());
    const name = 'Permits\r\nBcc: everybody@evil.example\r\nX-Evil: yes "<x@evil.example>"';
    await harness.app.db.updateTable('services').set({ name }).where('id', '=', service_id).execute();
    const { text, to } = mailOf(await send());
    const head = text.slice(0, text.indexOf('\r\n\r\n'));
    expect(head.match(/^(bcc|x-evil):/gim)).toBeNull();
    expect(head.match(/^from:/gim)).toHaveLength(1);
    expect(to).toBe('ada@example.org');
    expect(signatureOf(mailServer.mails.at(-1) as ReceivedMail).isValid).toBe(true);
  });

  it('is not tracked: it has no picture and its links are as they were written', async () => {
    await aVerifiedDomain(harness, dns, ofService());
    const links = ['https://council.example/permits?id=1&renew=yes#how', 'https://example.org/'];
    const content = `See ${links[0]} or [our page](${links[1]}).`;
    const template_id = await aTemplate(harness, service_id, { template_type: 'email', subject: 'Permit', content });
    const { text } = mailOf(await send({ template_id }));
    const html = decoded(text, 'text/html');
    const plain = decoded(text, 'text/plain');
    expect(html).not.toMatch(/<img|<object|<iframe|background(-image)?\s*[:=]\s*["']?url|<link|@import/i);
    const found = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'));
    expect(new Set(found)).toEqual(new Set(links));
    for (const link of links) expect(plain).toContain(link);
    expect(plain.match(/https?:/g)).toHaveLength(2);
  });
});

/** One part of an email, without its transfer encoding. */
function decoded(text: string, type: string): string {
  const part = text.slice(text.indexOf(`Content-Type: ${type}`));
  const start = part.indexOf('\r\n\r\n') + 4;
  const body = part.slice(start, part.indexOf('\r\n--', start));
  const head = part.slice(0, start);
  if (/base64/.test(head)) return Buffer.from(body, 'base64').toString();
  if (!/quoted-printable/.test(head)) return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
