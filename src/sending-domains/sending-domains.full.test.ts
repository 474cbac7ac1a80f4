import { beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { addDomain, aVerifiedDomain, check, publish } from '../../test/kit/builders/sending-domains.ts';
import { FakeDns } from '../../test/kit/fakes/fake-dns.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { sentBy } from '../../test/kit/world/account-messages.ts';
import { accountTemplates } from '../users/account-messages/account-messages.ts';
import { checkNow } from './checking/check-domains.ts';

const dns = new FakeDns();
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  resolver: dns,
  config: { domains: { mode: 'services' }, email: { domain: 'notify.installation.example' } },
});

let service_id: string;
let ofService: { scope: string; service_id: string };
let count = 0;
function aName(): string {
  count += 1;
  return `notify${count}.council.example`;
}

beforeEach(async () => {
  service_id = await aService(harness);
  ofService = { scope: 'service', service_id };
});

async function sendingDomainOf(id: string): Promise<string | null> {
  const { sending_domain_id } = await harness.app.db
    .selectFrom('services')
    .select('sending_domain_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return sending_domain_id;
}

describe('POST /sending-domain', () => {
  it('201: a pending domain with its records and a key that is never returned', async () => {
    const { status, body, text } = await addDomain(harness, { ...ofService, name: 'Notify.Council.Example.' });
    expect(status).toBe(201);
    const { records, keys, ...domain } = body.data;
    expect(domain).toMatchObject({
      ...{ name: 'notify.council.example', scope: 'service', service_id, organisation_id: null },
      ...{ way: 'signed-here', provider: null, state: 'pending', hold: false, version: 1, checks: [] },
    });
    expect(keys).toMatchObject([{ selector: 'pp2611a', algorithm: 'rsa-2048', state: 'signing' }]);
    expect(records).toMatchObject([
      { purpose: 'ownership', type: 'TXT', name: '_pennypost-challenge.notify.council.example', needed: true },
      { purpose: 'signature', type: 'TXT', name: 'pp2611a._domainkey.notify.council.example', needed: true },
      { purpose: 'policy', name: '_dmarc.notify.council.example', needed: false },
    ]);
    expect(records[0].value).toMatch(/^pennypost-verification=[a-z2-7]{20}$/);
    expect(records[1].value).toBe(`v=DKIM1; k=rsa; p=${keys[0].public_key}`);
    expect(text).not.toMatch(/private|encrypted/i);
    const stored = await harness.app.db.selectFrom('sending_domain_keys').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain('PRIVATE KEY');
    expect(await sendingDomainOf(service_id)).toBe(domain.id);
  });

  it('201 for a name in another script, as its A-label', async () => {
    const { body } = await addDomain(harness, { ...ofService, name: 'bücher.example' });
    expect(body.data.name).toBe('xn--bcher-kva.example');
  });

  it('201 keeps the domain that the service uses', async () => {
    const first = await addDomain(harness, { ...ofService, name: aName() });
    await addDomain(harness, { ...ofService, name: aName() });
    expect(await sendingDomainOf(service_id)).toBe(first.body.data.id);
  });

  it.each([
    ['council', 'Enter a domain such as notify.council.example'],
    ['192.0.2.1', 'Enter a domain such as notify.council.example'],
    ['_dmarc.council.example', 'Enter a domain such as notify.council.example'],
    ['council.example\r\nBcc: x@evil.example', 'Enter a domain such as notify.council.example'],
    ['gmail.com', 'You cannot send as gmail.com: it belongs to a mailbox provider'],
    ['yahoo.co.uk', 'You cannot send as yahoo.co.uk: it belongs to a mailbox provider'],
    ['notify.installation.example', 'Domain is already in use'],
    ['installation.example', 'Domain is already in use'],
  ])('400 for %j', async (name, message) => {
    const before = await sendingDomainOf(service_id);
    const { status, body } = await addDomain(harness, { ...ofService, name });
    expect({ status, body }).toEqual({ status: 400, body: { result: 'error', message } });
    expect(await sendingDomainOf(service_id)).toBe(before);
  });

  it('201 for a name below the domain of the installation', async () => {
    const name = 'council.notify.installation.example';
    expect((await addDomain(harness, { ...ofService, name })).status).toBe(201);
  });

  it('400 for a name that is verified for another owner, until that is retired', async () => {
    const name = aName();
    const { id } = await aVerifiedDomain(harness, dns, { ...ofService, name });
    const other = { scope: 'service', service_id: await aService(harness), name };
    const refused = await addDomain(harness, other);
    expect([refused.status, refused.body.message]).toEqual([400, 'Domain is already in use']);
    expect((await harness.admin('DELETE', `/sending-domain/${id}`)).status).toBe(204);
    const taken = await addDomain(harness, other);
    expect(taken.status).toBe(201);
    // The record of the former key may still be published.
    expect(taken.body.data.keys[0].selector).toBe('pp2611b');
  });

  it('400 for a sixth domain, also when they are added at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 7 }, () => addDomain(harness, { ...ofService, name: aName() })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 400, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body.message).toBe('You can have 5 domains. Retire one that you do not use');
  }, 60_000);

  it('403 unless the person manages the service, the organisation or the installation', async () => {
    const organisation_id = await anOrganisation(harness);
    const owners = [ofService, { scope: 'organisation', organisation_id }, { scope: 'installation' }];
    const created_by_id = await aUser(harness);
    const answers = await Promise.all(
      owners.map((owner) => harness.admin('POST', '/sending-domain', { ...owner, created_by_id, name: aName() })),
    );
    expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
      [403, 'Your service cannot add domains'],
      [403, 'Your organisation cannot add domains'],
      [403, 'Only platform administrators can add domains of the installation'],
    ]);
  });

  it('201 for a manager of the service, and for who makes services of the organisation live', async () => {
    const manager = await aUser(harness);
    const approver = await aUser(harness);
    const organisation_id = await anOrganisation(harness);
    const { db } = harness.app;
    const created_at = harness.clock.now().toISOString();
    await db
      .insertInto('service_members')
      .values({ service_id, user_id: manager, permissions: ['manage_service'], created_at })
      .execute();
    await db.insertInto('organisation_members').values({ organisation_id, user_id: approver, created_at }).execute();
    await db
      .insertInto('organisation_permissions')
      .values({ organisation_id, user_id: approver, permission: 'can_make_services_live' })
      .execute();
    const add = (owner: object, created_by_id: string) =>
      harness.admin('POST', '/sending-domain', { ...owner, created_by_id, name: aName() });
    expect((await add(ofService, manager)).status).toBe(201);
    expect((await add({ scope: 'organisation', organisation_id }, approver)).status).toBe(201);
    // As the default, only operators add domains.
    const other = await harness.anotherProcess({ domains: { mode: 'operator' } });
    const refused = await other.admin('POST', '/sending-domain', {
      ...{ ...ofService, created_by_id: manager, name: aName() },
    });
    expect([refused.status, refused.body.message]).toEqual([403, 'Your service cannot add domains']);
  });

  it('400 and 404 for what does not exist', async () => {
    const missing = 'b2a7d4de-1d4c-4f35-9f5c-5ad43e2f8a11';
    const unknown = await addDomain(harness, { scope: 'service', service_id: missing, name: aName() });
    expect(unknown.status).toBe(404);
    const without = await addDomain(harness, { scope: 'service', name: aName() });
    expect([without.status, without.body.message]).toEqual([400, { service_id: ['Missing data for required field.'] }]);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', ''],
      ['POST', '/check'],
      ['POST', '/keys'],
      ['POST', `/keys/${missing}/use`],
    ] as const) {
      expect((await harness.admin(method, `/sending-domain/${missing}${path}`, {})).status).toBe(404);
    }
  });
});

describe('a name that several owners claim', () => {
  async function claims() {
    const name = aName();
    const email_address = `stranger${name}@example.org`;
    const created_by_id = await aUser(harness, { email_address });
    const stranger = await aService(harness, { created_by_id });
    await harness.app.db
      .updateTable('service_members')
      .set({ permissions: ['manage_service'] })
      .where('service_id', '=', stranger)
      .execute();
    const first = await addDomain(harness, { scope: 'service', service_id: stranger, name });
    const second = await addDomain(harness, { ...ofService, name });
    expect([first.status, second.status]).toEqual([201, 201]);
    return { name, email_address, first: first.body.data, second: second.body.data };
  }

  const stateOf = async (id: string) => (await harness.admin('GET', `/sending-domain/${id}`)).body.data.state;

  it('belongs to the first that is verified, whoever was the first to claim it; the others are told', async () => {
    const { name, email_address, first, second } = await claims();
    expect((await addDomain(harness, { ...ofService, name })).body.message).toBe('Domain is already in use');
    publish(dns, second);
    const { sent } = await sentBy(harness, () => check(harness, second.id));
    expect(['verified', 'warning']).toContain(await stateOf(second.id));
    expect(await stateOf(first.id)).toBe('retired');
    const told = sent.filter(({ recipient }) => recipient === email_address);
    expect(told).toMatchObject([
      {
        template_id: accountTemplates.domainRetired,
        personalisation: { domain: name, reason: 'another owner has published its ownership record' },
      },
    ]);
    expect((await harness.admin('POST', `/sending-domain/${first.id}/check`, {})).status).toBe(404);
  });

  it('belongs to one of them if both are checked at once with both tokens published', async () => {
    const { app } = await harness.anotherProcess();
    for (let round = 0; round < 2; round += 1) {
      const { name, first, second } = await claims();
      publish(dns, first);
      dns.zone[`TXT _pennypost-challenge.${name}`] = [first, second].map(({ records }) => records[0].value);
      const { public_key } = first.keys[0];
      const keys = harness.app.db.updateTable('sending_domain_keys').set({ public_key });
      await keys.where('domain_id', '=', second.id).execute();
      await Promise.all([checkNow(harness.app, first.id), checkNow(app, second.id)]);
      const states = [await stateOf(first.id), await stateOf(second.id)];
      expect(states.filter((state) => state === 'retired')).toHaveLength(1);
    }
  });
});

describe('a domain whose ownership is not proved', () => {
  it('is asked for its ownership record only, until that is found', async () => {
    const name = aName();
    const { body } = await addDomain(harness, { ...ofService, name, return_path_domain: `bounces.${name}` });
    dns.zone[`A ${name}`] = ['10.11.12.13'];
    const before = dns.asked.length;
    const first = await check(harness, body.data.id);
    expect(first.checks.map(({ name }) => name)).toEqual(['ownership']);
    const asked = dns.asked.slice(before);
    expect(asked.filter((query) => !query.startsWith(`TXT _pennypost-challenge.${name}`))).toEqual([]);
    const [ownership] = body.data.records;
    dns.zone[`TXT ${ownership.name}`] = [ownership.value];
    const second = await check(harness, body.data.id);
    expect(second.state).toBe('pending');
    expect(second.checks.length).toBeGreaterThan(5);
    const shown = JSON.stringify(second);
    expect(shown).toContain(`{"query":"A ${name}","answer":"private"}`);
    expect(shown).not.toContain('10.11.12.13');
  });
});

describe('the return path', () => {
  const wrong = (name: string) => [
    400,
    { return_path_domain: [`Enter ${name}, a domain below it, or one that you have verified`] },
  ];

  it('400 unless it is the domain, below it, or verified for the same owner', async () => {
    const victim = await aVerifiedDomain(harness, dns, {
      ...{ scope: 'service', service_id: await aService(harness), name: aName() },
    });
    const mine = await aVerifiedDomain(harness, dns, { ...ofService, name: aName() });
    const other = await aVerifiedDomain(harness, dns, { ...ofService, name: aName() });
    const change = async (return_path_domain: string) => {
      const { status, body } = await harness.admin('POST', `/sending-domain/${mine.id}`, { return_path_domain });
      return [status, body.message];
    };
    for (const name of [`bounces.${victim.name}`, victim.name, 'bank.example', `x${mine.name}`, 'example']) {
      const answer = await change(name);
      expect(answer[0], name).toBe(400);
      if (name.includes('.')) expect(answer).toEqual(wrong(mine.name));
    }
    for (const name of [mine.name, `bounces.${mine.name}`, other.name, `bounces.${other.name}`]) {
      expect((await change(name))[0], name).toBe(200);
    }
    const name = aName();
    const added = await addDomain(harness, { ...ofService, name, return_path_domain: 'bank.example' });
    expect([added.status, added.body.message]).toEqual(wrong(name));
  });
});

describe('POST /sending-domain/{id}/check', () => {
  it('200: verified once everything that it needs is found', async () => {
    const { body } = await addDomain(harness, { ...ofService, name: aName() });
    const before = await check(harness, body.data.id);
    expect(before.state).toBe('pending');
    expect(before.checks.find(({ name }) => name === 'ownership')).toMatchObject({ verdict: 'fail' });
    const domain = await aVerifiedDomain(harness, dns, { ...ofService, name: aName() });
    expect(domain.records.slice(0, 2)).toMatchObject([{ verdict: 'pass' }, { verdict: 'pass' }]);
  });

  it('429 within 10 seconds', async () => {
    const { body } = await addDomain(harness, { ...ofService, name: aName() });
    await check(harness, body.data.id);
    harness.clock.advance({ seconds: 9 });
    const again = await harness.admin('POST', `/sending-domain/${body.data.id}/check`, {});
    expect([again.status, again.body.message]).toEqual([429, 'Wait 10 seconds before the next check']);
    harness.clock.advance({ seconds: 1 });
    expect((await harness.admin('POST', `/sending-domain/${body.data.id}/check`, {})).status).toBe(200);
  });
});

describe('POST /service/{id}', () => {
  it('200 with a domain of the service, of its organisation or of the installation; 400 with that of another', async () => {
    const organisation_id = await anOrganisation(harness);
    const mine = await aService(harness, { organisation_id });
    const domains = await Promise.all(
      [
        { scope: 'service', service_id: mine },
        { scope: 'organisation', organisation_id },
        { scope: 'installation' },
        { scope: 'service', service_id },
        { scope: 'organisation', organisation_id: await anOrganisation(harness) },
      ].map(async (owner) => (await addDomain(harness, { ...owner, name: aName() })).body.data.id),
    );
    const answers = [];
    for (const sending_domain_id of domains) {
      answers.push(await harness.admin('POST', `/service/${mine}`, { sending_domain_id }));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400]);
    expect(answers[3]?.body.message).toEqual({ sending_domain_id: ['No result found'] });
    expect(await sendingDomainOf(mine)).toBe(domains[2]);
    expect((await harness.admin('POST', `/service/${mine}`, { sending_domain_id: null })).status).toBe(200);
    expect(await sendingDomainOf(mine)).toBeNull();
  });
});

describe('GET /v2/sending-domains', () => {
  it('200 with the domains of the service of the key', async () => {
    const domain = await aVerifiedDomain(harness, dns, { ...ofService, name: aName() });
    await addDomain(harness, { scope: 'service', service_id: await aService(harness), name: aName() });
    const { status, body } = await harness.v2('GET', '/v2/sending-domains', await anApiKey(harness, service_id));
    expect(status).toBe(200);
    expect(body.sending_domains).toHaveLength(1);
    expect(Object.keys(body.sending_domains[0])).toEqual(['name', 'state', 'records', 'checks']);
    expect(body.sending_domains[0]).toMatchObject({ name: domain.name, state: domain.state });
    expect(body.sending_domains[0].checks[0]).not.toHaveProperty('evidence');
  });
});

describe('keys', () => {
  it('are exchanged without a gap: waiting, ready after an hour, signing, retiring for a week, deleted', async () => {
    const { id, keys } = await aVerifiedDomain(harness, dns, { ...ofService, name: aName() });
    const added = await harness.admin('POST', `/sending-domain/${id}/keys`, {});
    expect(added.body.data.keys.map((key: { state: string }) => key.state)).toEqual(['signing', 'waiting']);
    const [, next] = added.body.data.keys;
    expect(next.selector).toBe('pp2611b');
    const third = await harness.admin('POST', `/sending-domain/${id}/keys`, {});
    expect([third.status, third.body.message]).toEqual([
      400,
      'This domain has 2 keys. Wait until the old one is retired',
    ]);
    const use = () => harness.admin('POST', `/sending-domain/${id}/keys/${next.id}/use`, {});
    expect((await use()).status).toBe(400);
    // Its record is missing, which is no fault of the domain.
    expect(await check(harness, id)).toMatchObject({ keys: [{ state: 'signing' }, { state: 'waiting' }] });
    dns.zone[`TXT ${added.body.data.records[2].name}`] = [added.body.data.records[2].value];
    expect((await check(harness, id)).keys[1]?.state).toBe('waiting');
    harness.clock.advance({ hours: 1 });
    expect((await check(harness, id)).keys[1]?.state).toBe('ready');
    expect((await use()).body.data.keys).toMatchObject([{ state: 'retiring' }, { state: 'signing' }]);
    const privateKeys = async () =>
      (
        await harness.app.db
          .selectFrom('sending_domain_keys')
          .select('encrypted_private_key')
          .where('domain_id', '=', id)
          .orderBy('created_at')
          .orderBy('id')
          .execute()
      ).map((row) => row.encrypted_private_key !== null);
    harness.clock.advance({ days: 6, hours: 23 });
    await run();
    expect(await privateKeys()).toEqual([true, true]);
    harness.clock.advance({ hours: 1 });
    await run();
    expect(await privateKeys()).toEqual([false, true]);
    const after = (await harness.admin('GET', `/sending-domain/${id}`)).body.data;
    expect(after.keys).toMatchObject([{ id: keys[0]?.id, state: 'deleted' }, { state: 'signing' }]);
    expect(after.records.filter(({ purpose }: { purpose: string }) => purpose === 'signature')).toHaveLength(1);
  });

  it('exchange by themselves a day after the new one is ready, and not while its record comes and goes', async () => {
    const { id } = await aVerifiedDomain(harness, dns, { ...ofService, name: aName() });
    const added = (await harness.admin('POST', `/sending-domain/${id}/keys`, {})).body.data;
    const record = `TXT ${added.records[2].name}`;
    dns.zone[record] = [added.records[2].value];
    await check(harness, id);
    harness.clock.advance({ hours: 2 });
    expect((await check(harness, id)).keys[1]?.state).toBe('ready');
    delete dns.zone[record];
    expect((await check(harness, id)).keys[1]?.state).toBe('waiting');
    dns.zone[record] = 'SERVFAIL';
    expect((await check(harness, id)).keys[1]?.state).toBe('waiting');
    dns.zone[record] = [added.records[2].value];
    await check(harness, id);
    harness.clock.advance({ hours: 24 });
    expect((await check(harness, id)).keys).toMatchObject([{ state: 'signing' }, { state: 'ready' }]);
    dns.zone[record] = 'TIMEOUT';
    harness.clock.advance({ hours: 2 });
    expect((await check(harness, id)).keys[1]?.state).toBe('ready');
    dns.zone[record] = [added.records[2].value];
    expect((await check(harness, id)).keys).toMatchObject([{ state: 'retiring' }, { state: 'signing' }]);
  });

  it('of a retired domain are erased after a week', async () => {
    const { id } = await aVerifiedDomain(harness, dns, { ...ofService, name: aName() });
    await harness.admin('DELETE', `/sending-domain/${id}`);
    const of = async () => (await harness.admin('GET', `/sending-domain/${id}`)).body.data;
    expect(await of()).toMatchObject({ state: 'retired', next_check_at: null, keys: [{ state: 'retiring' }] });
    harness.clock.advance({ days: 7 });
    await run();
    expect(await of()).toMatchObject({ keys: [{ state: 'deleted' }] });
  });

  it('400 where others have them', async () => {
    const { body } = await addDomain(harness, { ...ofService, name: aName(), way: 'relay', selector: 'mx1' });
    expect(body.data.keys).toMatchObject([{ selector: 'mx1', public_key: null }]);
    const refused = await harness.admin('POST', `/sending-domain/${body.data.id}/keys`, {});
    expect([refused.status, refused.body.message]).toEqual([400, 'The keys of this domain are not made here']);
  });
});

async function run(): Promise<void> {
  await harness.addTask('check-sending-domains');
  await harness.runTasks();
}
