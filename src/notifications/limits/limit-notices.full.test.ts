import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, anOrganisation, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { metricOf } from '../../../test/kit/world/metrics.ts';
import { readBody } from '../../delivery/sandbox/sandbox.ts';
import { timestamp } from '../../platform/clock.ts';
import { deleteExpiredData } from '../retention.ts';
import { measureLimits, sendLimitNotices } from './limit-notices.task.ts';

const noon = '2026-11-16T12:00:00Z';
const harness = useHarness({ now: noon });
beforeEach(() => harness.clock.set(noon));

let teams = 0;

async function addMember(service_id: string, permissions: string[]) {
  const user_id = await aUser(harness, { name: `With ${permissions[0]}` });
  const created_at = timestamp(harness.clock.now());
  await harness.app.db.insertInto('service_members').values({ service_id, user_id, permissions, created_at }).execute();
  return user_id;
}

/** A service with a manager and a member who is none. */
async function aTeam(fields: Parameters<typeof aService>[1]) {
  teams += 1;
  const name = `Permits ${teams}`;
  const service = await aService(harness, { name, ...fields });
  const manager = await addMember(service, ['manage_service']);
  const member = await addMember(service, ['send_messages']);
  const template_id = await aTemplate(harness, service, { content: 'Hello' });
  const key = await anApiKey(harness, service);
  const send = async (count: number, phone_number = '07700900123') => {
    const sent = await Promise.all(
      Array.from({ length: count }, () =>
        harness.v2('POST', '/v2/notifications/sms', key, { phone_number, template_id }),
      ),
    );
    expect(sent.filter(({ status }) => status !== 201)).toEqual([]);
  };
  return { service, manager, member, key, template_id, send, name };
}

async function tellNow() {
  await harness.addTask('tell-of-reached-limits');
  await harness.runTasks();
}

/** The emails of the platform to people: whose, and the subject. */
async function noticesTo(...users: string[]): Promise<[number, string][]> {
  await harness.deliver();
  const { rows } = await sql<{ id: string; subject: string }>`
    select u.id, m.subject from sandbox_messages m join users u on u.email_address = m.recipient
    where u.id = any (${users}::uuid[]) order by m.created_at, m.reference`.execute(harness.app.db);
  return rows.map(({ id, subject }) => [users.indexOf(id), subject]);
}

const near = (name: string, period: string) => `${name} has nearly reached its limit of texts for ${period}`;
const over = (name: string, period: string) => `${name} can send no more texts ${period}`;

describe('a limit of a year', () => {
  it('is told to managers at 80 % and at 100 %, once each', async () => {
    const { service, manager, member, send, name } = await aTeam({ sms_annual_limit: 100 });
    await send(79);
    await tellNow();
    expect(await noticesTo(manager, member)).toEqual([]);
    await send(1);
    await tellNow();
    await tellNow();
    expect(await noticesTo(manager, member)).toEqual([[0, near(name, 'this year')]]);
    harness.clock.advance({ seconds: 60 });
    await send(20);
    await tellNow();
    await tellNow();
    expect(await noticesTo(manager, member)).toEqual([
      [0, near(name, 'this year')],
      [0, over(name, 'this year')],
    ]);
    const sent = await sql<{ body: string; reference: string }>`
      select body, reference from sandbox_messages m join users u on u.email_address = m.recipient
      where u.id = ${manager} order by m.created_at`.execute(harness.app.db);
    const bodies = sent.rows.map((message) => readBody(harness.app, message));
    const url = `/services/${service}/usage`;
    expect(bodies).toEqual([
      expect.stringContaining(`${name} has used 80 of the 100 texts that it can send this year`),
      expect.stringContaining(`${name} has used 100 of the 100 texts that it can send this year`),
    ]);
    for (const body of bodies) {
      expect(body).toContain('refused until 1 April 2027.');
      expect(body).toContain(url);
    }
  });

  it('that a file reaches at once is told as reached only', async () => {
    const { key, template_id, manager, name } = await aTeam({ sms_annual_limit: 100 });
    const rows = [
      ['phone number'],
      ...Array.from({ length: 100 }, (_, row) => [`077009${String(row).padStart(5, '0')}`]),
    ];
    const { status } = await harness.v2('POST', '/v2/notifications/bulk', key, { name: 'x', template_id, rows });
    expect(status).toBe(201);
    await tellNow();
    expect(await noticesTo(manager)).toEqual([[0, over(name, 'this year')]]);
  });

  it('begins anew with the next year', async () => {
    harness.clock.set('2027-03-31T22:59:00Z');
    const { send, manager, name } = await aTeam({ sms_annual_limit: 100 });
    await send(80);
    await tellNow();
    harness.clock.set('2027-03-31T23:00:00Z');
    await send(80);
    await tellNow();
    expect(await noticesTo(manager)).toEqual([
      [0, near(name, 'this year')],
      [0, near(name, 'this year')],
    ]);
  });

  it('below 100 is not told', async () => {
    const { send, manager } = await aTeam({ sms_annual_limit: 99 });
    await send(99);
    await tellNow();
    expect(await noticesTo(manager)).toEqual([]);
  });

  it('of an organisation is told to its members, too, and to nobody twice', async () => {
    const organisation_id = await anOrganisation(harness, { name: 'Borough', sms_annual_limit: 100 });
    const [one, other] = [await aTeam({ organisation_id }), await aTeam({ organisation_id })];
    const both = await addMember(one.service, ['manage_service']);
    const created_at = timestamp(harness.clock.now());
    const membership = { organisation_id, user_id: both, created_at };
    await harness.app.db.insertInto('organisation_members').values(membership).execute();
    const outside = await aTeam({});
    await one.send(40);
    await other.send(45);
    await tellNow();
    const people = [one.manager, other.manager, both, one.member, outside.manager];
    const told = await noticesTo(...people);
    expect(told.sort(([a], [b]) => a - b)).toEqual([0, 1, 2].map((person) => [person, near('Borough', 'this year')]));
  });
});

describe('a limit of a day', () => {
  it('is told each day, also that of texts abroad', async () => {
    const permissions = ['sms', 'international_sms'];
    const { send, manager, name } = await aTeam({ permissions, international_sms_message_limit: 100 });
    await send(80, '+33600000000');
    await tellNow();
    const abroad = `${name} has nearly reached its limit of texts to other countries for today`;
    expect(await noticesTo(manager)).toEqual([[0, abroad]]);
    harness.clock.set('2026-11-17T00:00:00Z');
    await send(100, '+33600000000');
    await tellNow();
    expect(await noticesTo(manager)).toEqual([
      [0, abroad],
      [0, `${name} can send no more texts to other countries today`],
    ]);
  });

  it('is remembered for two days', async () => {
    const { service, send } = await aTeam({ sms_message_limit: 100, sms_annual_limit: 100 });
    await send(80);
    await tellNow();
    const periods = async () => {
      const told = harness.app.db.selectFrom('limit_notices').select('period').where('owner_id', '=', service);
      return (await told.orderBy('period').execute()).map(({ period }) => period);
    };
    harness.clock.set('2026-11-18T12:00:00Z');
    await deleteExpiredData(harness.app);
    expect(await periods()).toEqual(['day', 'year']);
    harness.clock.set('2026-11-19T12:00:00Z');
    await deleteExpiredData(harness.app);
    expect(await periods()).toEqual(['year']);
  });
});

describe('two workers', () => {
  it('tell once', async () => {
    const { send, manager, name } = await aTeam({ sms_annual_limit: 100 });
    await send(80);
    const { app } = await harness.anotherProcess();
    await Promise.all([app, harness.app, app, harness.app].map(sendLimitNotices));
    expect(await noticesTo(manager)).toEqual([[0, near(name, 'this year')]]);
  });
});

describe('the metrics', () => {
  it('count notices, and services by how much they have used', async () => {
    measureLimits(harness.app);
    expect(await metricOf(harness, 'limit_notices_total')).toMatch(/period="year",level="80"\} [1-9]/);
    const { send } = await aTeam({ sms_annual_limit: 100 });
    const atMost = async (le: string) => {
      const lines = await metricOf(harness, 'annual_limit_used_ratio');
      return Number(new RegExp(`_bucket\\{le="${le.replace('.', '\\.')}",channel="sms"\\} (\\d+)`).exec(lines)?.[1]);
    };
    await send(40);
    const before = [await atMost('0.5'), await atMost('0.8'), await atMost('+Inf')];
    await send(30);
    expect([await atMost('0.5'), await atMost('0.8'), await atMost('+Inf')]).toEqual([
      (before[0] ?? 0) - 1,
      before[1],
      before[2],
    ]);
  });
});
