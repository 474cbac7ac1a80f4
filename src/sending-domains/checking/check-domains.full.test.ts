import { beforeEach, describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { addDomain, aVerifiedDomain, check } from '../../../test/kit/builders/sending-domains.ts';
import { FakeDns, type Zone } from '../../../test/kit/fakes/fake-dns.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { sentBy } from '../../../test/kit/world/account-messages.ts';
import { accountTemplates } from '../../users/account-messages/account-messages.ts';
import { checkDueDomains } from './check-domains.ts';

const dns = new FakeDns();
const harness = useHarness({ now: '2026-11-15T12:00:00Z', resolver: dns });

let service_id: string;
let manager: string;
let count = 0;
function ofService() {
  count += 1;
  return { scope: 'service', service_id, name: `notify${count}.council.example` };
}

beforeEach(async () => {
  count += 1;
  manager = `manager${count}@example.org`;
  service_id = await aService(harness, { created_by_id: await aUser(harness, { email_address: manager }) });
  await harness.app.db
    .updateTable('service_members')
    .set({ permissions: ['manage_service'] })
    .where('service_id', '=', service_id)
    .execute();
});

async function run(): Promise<void> {
  await harness.addTask('check-sending-domains');
  await harness.runTasks();
}

const stored = async (id: string) => (await harness.admin('GET', `/sending-domain/${id}`)).body.data;
const asked = (name: string) => dns.asked.filter((query) => query === `TXT _pennypost-challenge.${name}`).length;

describe('check-sending-domains', () => {
  it('checks what is due, and nothing else', async () => {
    const { body } = await addDomain(harness, ofService());
    const { name, id } = body.data;
    await run();
    expect(asked(name)).toBe(1);
    expect(await stored(id)).toMatchObject({ state: 'pending', next_check_at: '2026-11-15T12:01:00.000000Z' });
    await run();
    expect(asked(name)).toBe(1);
    harness.clock.advance({ minutes: 1 });
    await run();
    expect(asked(name)).toBe(2);
    // After 30 days nothing is expected any more.
    harness.clock.advance({ days: 30 });
    const { sent } = await sentBy(harness, run);
    expect(await stored(id)).toMatchObject({ state: 'retired', next_check_at: null, keys: [{ state: 'retiring' }] });
    const reason = 'its records were not published within 30 days';
    expect(sent).toMatchObject([
      { recipient: manager, template_id: accountTemplates.domainRetired, personalisation: { reason } },
    ]);
    harness.clock.advance({ days: 1 });
    await run();
    expect(asked(name)).toBe(3);
  });

  it('of two workers checks each domain once', async () => {
    const names = await Promise.all(
      Array.from({ length: 9 }, async (_, index) => {
        const owner = { scope: 'installation', name: `installation${index}.example` };
        return (await addDomain(harness, owner)).body.data.name as string;
      }),
    );
    const before = dns.asked.length;
    const { app } = await harness.anotherProcess();
    await Promise.all([checkDueDomains(harness.app), checkDueDomains(app), checkDueDomains(app)]);
    const questions = dns.asked.slice(before).flatMap((query) => /_domainkey\.(installation.*)/.exec(query)?.[1] ?? []);
    expect(questions.sort()).toEqual(names.sort());
  });

  it('takes over from a worker that ended, which then records nothing', async () => {
    const { body } = await addDomain(harness, ofService());
    let answer: () => void = () => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { app } = await harness.anotherProcess();
    Object.assign(app, { resolver: { query: (type: string, name: string) => slow.then(() => dns.query(type, name)) } });
    const first = checkDueDomains(app);
    await expect.poll(async () => leaseOf(body.data.id)).not.toBeNull();
    await run();
    expect(asked(body.data.name)).toBe(0);
    harness.clock.advance({ minutes: 3 });
    await run();
    const { checked_at } = await stored(body.data.id);
    expect(asked(body.data.name)).toBe(1);
    harness.clock.advance({ seconds: 5 });
    answer();
    await first;
    expect((await stored(body.data.id)).checked_at).toBe(checked_at);
  });

  it('does nothing where domains are off', async () => {
    const { body } = await addDomain(harness, ofService());
    const { app } = await harness.anotherProcess({ domains: { mode: 'off' } });
    await checkDueDomains(app);
    expect(asked(body.data.name)).toBe(0);
  });
});

function leaseOf(id: string) {
  return harness.app.db
    .selectFrom('sending_domains')
    .select('leased_until')
    .where('id', '=', id)
    .executeTakeFirst()
    .then((row) => row?.leased_until ?? null);
}

describe('a record that disappears', () => {
  async function aDomain() {
    const domain = await aVerifiedDomain(harness, dns, ofService());
    return { ...domain, ownership: `TXT _pennypost-challenge.${domain.name}` as keyof Zone };
  }

  it('is reported after three checks, suspends the domain after a day, and verifies it once it is back', async () => {
    const { id, ownership } = await aDomain();
    const record = dns.zone[ownership];
    delete dns.zone[ownership];
    const steps = [];
    const isTold = async (work: () => Promise<unknown>) => {
      const { sent } = await sentBy(harness, work);
      return sent.filter(({ recipient }) => recipient === manager).map(({ template_id }) => template_id);
    };
    for (let index = 0; index < 4; index += 1) {
      harness.clock.advance(index === 0 ? { hours: 8 } : { minutes: 15 });
      steps.push(await isTold(run));
    }
    expect(steps).toEqual([[], [], [accountTemplates.domainFailing], []]);
    expect((await stored(id)).state).not.toBe('suspended');
    harness.clock.advance({ hours: 23, minutes: 59 });
    expect(await isTold(run)).toEqual([accountTemplates.domainSuspended]);
    expect(await stored(id)).toMatchObject({ state: 'suspended' });
    expect(await isTold(() => check(harness, id))).toEqual([]);
    dns.zone[ownership] = record ?? [];
    expect(await isTold(() => check(harness, id))).toEqual([accountTemplates.domainVerified]);
    const changes = await harness.app.db
      .selectFrom('sending_domain_changes')
      .select(['changed', 'before', 'after'])
      .where('domain_id', '=', id)
      .where('changed', 'in', ['state', 'ownership'])
      .orderBy('id')
      .execute();
    expect(changes.map(({ changed, after }) => `${changed} ${after}`)).toEqual([
      'ownership pass',
      expect.stringMatching(/^state (verified|warning)$/),
      'ownership fail',
      'state suspended',
      'ownership pass',
      expect.stringMatching(/^state (verified|warning)$/),
    ]);
  });

  it('does not matter while name servers are down, however long', async () => {
    const { id, name, state } = await aDomain();
    for (const question of Object.keys(dns.zone)) if (question.endsWith(name)) dns.zone[question] = 'SERVFAIL';
    for (let index = 0; index < 6; index += 1) {
      harness.clock.advance({ hours: 12 });
      expect((await check(harness, id)).state).toBe(state);
    }
  });

  it('suspends the domain after an hour if it has the token of somebody else', async () => {
    const { id, ownership } = await aDomain();
    dns.zone[ownership] = ['pennypost-verification=aaaaaaaaaaaaaaaaaaaa'];
    expect((await check(harness, id)).state).not.toBe('suspended');
    harness.clock.advance({ minutes: 30 });
    expect((await check(harness, id)).state).not.toBe('suspended');
    harness.clock.advance({ minutes: 30 });
    expect((await check(harness, id)).state).toBe('suspended');
  });
});

describe('what a check writes', () => {
  it('is no change of the person who asked for it', async () => {
    const { body } = await addDomain(harness, ofService());
    const entries = () =>
      harness.app.db
        .selectFrom('audit_log')
        .select(['action', 'noun', 'after'])
        .where('thing_id', '=', body.data.id)
        .orderBy('created_at')
        .execute();
    await check(harness, body.data.id);
    const found = await entries();
    expect(found.map(({ action, noun }) => `${action} ${noun}`)).toEqual(['create sending_domain']);
    expect(found[0]?.after).toMatchObject({ name: body.data.name, token: '[not recorded]' });
  });
});
