import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dnsResolver } from '../../src/sending-domains/checks/resolver.ts';
import { aQueuedMessage } from '../kit/builders/queued-messages.ts';
import { aService } from '../kit/builders/rows.ts';
import { addDomain, check, type DomainBody } from '../kit/builders/sending-domains.ts';
import { useHarness } from '../kit/harness.ts';
import { startMailServer } from '../kit/vendors/mail-servers.ts';
import { NameServer } from './kit/name-server.ts';
import { debianPython, programEnvironment } from './kit/programs.ts';

/**
 * The life of a sending domain with a real name server, and its signatures in the eyes of another implementation. Each test begins where
 * the one before it ended.
 */

const nameServer = await NameServer.start();
const mailServer = await startMailServer();
afterAll(() => Promise.all([nameServer.close(), mailServer.close()]));

const harness = useHarness({
  resolver: dnsResolver({ servers: [nameServer.address] }),
  config: {
    email: { providers: ['smtp'], domain: 'installation.example' },
    providers: { smtp: { url: mailServer.url, returnPath: 'bounces@mail.example', listen: '127.0.0.1:0' } },
  },
});

let service_id: string;
let domain: DomainBody;

beforeAll(async () => {
  service_id = await aService(harness);
  const { status, body } = await addDomain(harness, { scope: 'service', service_id, name: 'notify.council.example' });
  expect(status).toBe(201);
  domain = body.data;
});

const reasonOf = ({ checks }: DomainBody, name: string) => checks.find((one) => one.name === name)?.reason;

const recordFor = (purpose: string) => {
  const record = domain.records.find((one) => one.purpose === purpose);
  if (!record) throw new Error(`The domain has no record for ${purpose}`);
  return record;
};

/** Sends an email, and returns it as the mail server got it. */
async function send(): Promise<string> {
  const id = await aQueuedMessage(harness, service_id, { notification_type: 'email' });
  await harness.deliver();
  const mail = mailServer.mails.find(({ text }) => text.includes(`<${id}@`));
  if (!mail) throw new Error('The email was not sent');
  return mail.text;
}

const senderOf = (mail: string) => /^From: .*@([^>\s]+)>?\r$/m.exec(mail)?.[1];

/** The domain and the selector that dkimpy verified, or what it says is wrong. */
function verify(mail: string): string {
  const script = fileURLToPath(new URL('kit/verify-dkim.py', import.meta.url));
  const port = nameServer.address.split(':')[1] ?? '';
  const { status, stdout, stderr } = spawnSync(debianPython, [script, port], {
    input: mail,
    encoding: 'utf8',
    env: programEnvironment(),
  });
  return (status === 0 ? stdout : stderr).trim();
}

it('is pending while nothing is published', async () => {
  const { state, checks } = await check(harness, domain.id);
  expect([state, checks.map(({ name }) => name)]).toEqual(['pending', ['ownership']]);
  expect(senderOf(await send())).toBe('installation.example');
});

it('is pending with a name that the page of the name server has doubled, and with half a key', async () => {
  const { name, value } = recordFor('ownership');
  await nameServer.publish('TXT', `${name}.council.example`, value);
  const doubled = await check(harness, domain.id);
  expect([doubled.state, reasonOf(doubled, 'ownership')]).toEqual(['pending', 'name-doubled']);
  await nameServer.publish('TXT', `${name}.council.example`);
  await nameServer.publish('TXT', name, value);
  const key = recordFor('signature');
  await nameServer.publish('TXT', key.name, key.value.slice(0, 255));
  const found = await check(harness, domain.id);
  expect([found.state, reasonOf(found, 'dkim')]).toEqual(['pending', 'key-cut']);
  const notTried = found.checks.filter(({ verdict }) => verdict === 'unknown');
  expect(notTried.map(({ name, reason }) => `${name} ${reason}`)).toEqual(['ptr not-checked', 'spf not-checked']);
});

it('is verified once everything is published, and its emails are signed', async () => {
  for (const { type, name, value } of domain.records) await nameServer.publish(type as 'TXT', name, value);
  await nameServer.publish('MX', domain.name, '10 in.council.example.');
  await nameServer.publish('A', 'in.council.example', '192.0.2.7');
  await nameServer.publish('MX', 'mail.example', '10 in.council.example.');
  const found = await check(harness, domain.id);
  expect(found.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  expect(['verified', 'warning']).toContain(found.state);
  const mail = await send();
  expect(senderOf(mail)).toBe(domain.name);
  expect(verify(mail)).toBe(`${domain.name} ${domain.keys[0]?.selector}`);
});

it('signs so that a change of the email is noticed', async () => {
  const mail = await send();
  expect(verify(mail.replace(/^Subject: /m, 'Subject: Re: '))).toBe('the signature is wrong');
});

it('stays verified while no name server answers', async () => {
  await nameServer.stop();
  const found = await check(harness, domain.id);
  expect(reasonOf(found, 'dkim')).toBe('dns-error');
  expect(['verified', 'warning']).toContain(found.state);
  await nameServer.run();
});

it('is suspended when its key is gone for 24 hours, and comes back with the key', async () => {
  const { name, value } = recordFor('signature');
  await nameServer.publish('TXT', name);
  const broken = await check(harness, domain.id);
  expect([reasonOf(broken, 'dkim'), ['verified', 'warning'].includes(broken.state)]).toEqual(['record-missing', true]);
  harness.clock.advance({ hours: 12 });
  expect(['verified', 'warning']).toContain((await check(harness, domain.id)).state);
  harness.clock.advance({ hours: 12 });
  expect((await check(harness, domain.id)).state).toBe('suspended');
  expect(senderOf(await send())).toBe('installation.example');
  await nameServer.publish('TXT', name, value);
  expect(['verified', 'warning']).toContain((await check(harness, domain.id)).state);
  expect(verify(await send())).toBe(`${domain.name} ${domain.keys[0]?.selector}`);
});

it('signs with its new key once that is published, and what the old one signed stays right', async () => {
  const [old = ''] = domain.keys.map(({ selector }) => selector);
  const before = await send();
  const made = await harness.admin('POST', `/sending-domain/${domain.id}/keys`, {});
  expect(made.status).toBe(201);
  const [, next] = (made.body.data as DomainBody).keys;
  expect(verify(await send())).toBe(`${domain.name} ${old}`);
  const record = (made.body.data as DomainBody).records.find(({ name }) => name.startsWith(`${next?.selector}.`));
  await nameServer.publish('TXT', record?.name ?? '', record?.value ?? '');
  await check(harness, domain.id);
  harness.clock.advance({ hours: 1 });
  expect((await check(harness, domain.id)).keys.map(({ state }) => state)).toEqual(['signing', 'ready']);
  expect((await harness.admin('POST', `/sending-domain/${domain.id}/keys/${next?.id}/use`, {})).status).toBe(200);
  await harness.app.changeListener.catchUp();
  expect(verify(await send())).toBe(`${domain.name} ${next?.selector}`);
  expect(verify(before)).toBe(`${domain.name} ${old}`);
});
