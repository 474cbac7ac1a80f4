import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { messageOf, queueOf, someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { isLongRun } from '../../../test/kit/process/process-environment.ts';
import { metricOf } from '../../../test/kit/world/metrics.ts';
import { buildDelivery } from '../../delivery/delivery.ts';
import { timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';
import { lanes } from '../notification.ts';
import { addUpChanges } from '../rollups/rollups.ts';
import { evaluateServices, measureGuard } from './guard.task.ts';

const harness = useHarness({
  now: '2026-11-17T12:30:00Z',
  config: {
    guard: { mode: 'on' },
    delivery: { concurrency: 10, providerRates: isLongRun ? {} : { sandbox: 400 } },
    providers: { sandbox: { receipts: 'hold' } },
  },
});

const url = '/v2/notifications/bulk';
const paused = (what: string) =>
  `Sending to many is paused: ${what}. Clean your list, then lift the pause in Settings.`;
const bounced = paused('12.4% of the emails of the last 24 hours bounced');

beforeEach(() => harness.clock.set('2026-11-17T12:30:00Z'));

/** A service of a person who manages it, with a member who does not. */
async function aTeam(fields: Parameters<typeof aService>[1] = {}) {
  const manager = await aUser(harness);
  const member = await aUser(harness);
  const service = await aService(harness, { ...fields, created_by_id: manager });
  await setPermissions(service, manager, ['manage_service']);
  const created_at = timestamp(harness.clock.now());
  await harness.app.db
    .insertInto('service_members')
    .values({ service_id: service, user_id: member, permissions: ['send_messages'], created_at })
    .execute();
  const key = await anApiKey(harness, service);
  const email = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'c' });
  return { service, key, email, manager, member };
}

const setPermissions = (service_id: string, user_id: string, permissions: string[]) =>
  harness.app.db
    .updateTable('service_members')
    .set({ permissions })
    .where('service_id', '=', service_id)
    .where('user_id', '=', user_id)
    .execute();

interface Figures {
  sent: number;
  hard_bounces?: number;
  complaints?: number;
  hour?: string;
}

/** What the recorder of results would have counted. */
async function outcomes(service_id: string, { sent, hard_bounces = 0, complaints = 0, hour }: Figures) {
  const counts = { sent, hard_bounces, soft_bounces: 0, complaints };
  await harness.app.db
    .insertInto('email_outcome_changes')
    .values({ service_id, hour: hour ?? '2026-11-17T11:00:00Z', ...counts })
    .execute();
  await addUpChanges(harness.app.db);
}

async function evaluateNow() {
  await harness.addTask('judge-services');
  await harness.runTasks();
  await harness.app.changeListener.catchUp();
}

async function aPausedTeam(fields: Parameters<typeof aService>[1] = {}) {
  const team = await aTeam(fields);
  await outcomes(team.service, { sent: 1_000, hard_bounces: 124 });
  await evaluateNow();
  return team;
}

const guardOf = async (service: string) => (await harness.admin('GET', `/service/${service}/guard`)).body.data;
const lift = (service: string, user_id: string, reason: unknown = 'The list is clean') =>
  harness.admin('POST', `/service/${service}/guard/lift`, { reason, user_id });
const bulk = (key: string, template_id: string, more: object = {}) =>
  harness.v2('POST', url, key, { name: 'list', template_id, rows: [['email address'], ['a@example.org']], ...more });

/** Subjects and recipients of the notices. */
async function noticesTo(...users: string[]) {
  const { rows } = await sql<{ name: string; user_id: string }>`
    select t.name, u.id as user_id from notifications n join templates t on t.id = n.template_id
    join users u on u.email_address = n.recipient
    where t.name like 'Sending to many%' and u.id = any (${users}::uuid[]) order by n.id`.execute(harness.app.db);
  return rows.map(({ name, user_id }) => [name, users.indexOf(user_id)]);
}

describe('a service whose emails bounce', () => {
  it('cannot send to many, and its managers are told once', async () => {
    const { service, key, email, manager, member } = await aPausedTeam();
    expect(await noticesTo(manager, member)).toEqual([['Sending to many: paused', 0]]);
    expect(await guardOf(service)).toEqual({
      state: 'paused',
      because: 'bounces',
      since: '2026-11-17T12:30:00.000000Z',
      bounce_rate: '12.40',
      complaint_rate: '0.000',
      sent_in_24_hours: 1_000,
      sent_in_7_days: 1_000,
      exempt_until: null,
      lifted_at: null,
      lift_reason: null,
      team_can_lift: true,
    });
    const refused = await bulk(key, email);
    expect([refused.status, refused.body.errors]).toEqual([400, [{ error: 'BadRequestError', message: bounced }]]);
    const checked = await harness.v2('POST', `${url}?dry_run=true`, key, {
      ...{ name: 'list', template_id: email, rows: [['email address'], ['a@example.org']] },
    });
    expect([checked.status, checked.body.data.valid, checked.body.data.message]).toEqual([200, false, bounced]);
    expect((await bulk(key, email, { scheduled_for: '2026-11-18T09:00:00Z' })).status).toBe(400);
    // The rate of the pause stays, although good emails follow.
    await outcomes(service, { sent: 9_000 });
    await evaluateNow();
    expect((await bulk(key, email)).body.errors[0].message).toBe(bounced);
    expect(await noticesTo(manager)).toHaveLength(1);
  });

  it('goes on with single emails, texts and test keys', async () => {
    const { service, key, email } = await aPausedTeam();
    const single = { email_address: 'a@example.org', template_id: email };
    expect((await harness.v2('POST', '/v2/notifications/email', key, single)).status).toBe(201);
    const sms = await aTemplate(harness, service, { content: 'c' });
    const texts = { name: 'list', template_id: sms, rows: [['phone number'], ['07700900123']] };
    expect((await harness.v2('POST', url, key, texts)).status).toBe(201);
    expect((await bulk(await anApiKey(harness, service, { key_type: 'test' }), email)).status).toBe(201);
    expect((await bulk(await anApiKey(harness, service, { key_type: 'team' }), email)).status).toBe(400);
  });

  it('cannot send an uploaded file; a scheduled one waits and goes after the lift', async () => {
    const team = await aTeam();
    const scheduled_for = '2026-11-17T13:00:00Z';
    const { body } = await bulk(team.key, team.email, { scheduled_for });
    await outcomes(team.service, { sent: 1_000, hard_bounces: 124 });
    await evaluateNow();
    harness.clock.set('2026-11-17T13:01:00Z');
    await harness.runTasks();
    const job = () => harness.admin('GET', `/service/${team.service}/job/${body.data.id}`);
    expect((await job()).body.data.job_status).toBe('scheduled');
    harness.clock.set('2026-11-17T13:20:00Z');
    await harness.addTask('resume-jobs');
    await harness.runTasks();
    expect(harness.logged.filter((line) => line.includes('job.stalled'))).toEqual([]);
    expect((await lift(team.service, team.manager)).status).toBe(204);
    harness.clock.set('2026-11-17T13:21:00Z');
    await harness.runTasks();
    expect((await job()).body.data.job_status).toBe('finished all notifications created');
  });

  it('loses what has waited for longer than DELIVERY_EXPIRY_H while it is paused, and nothing else', async () => {
    const { service } = await aPausedTeam();
    const inFile = { notification_type: 'email' as const, lane: lanes.bulk };
    const old = await someQueuedMessages(harness, service, [inFile, inFile]);
    harness.clock.advance({ minutes: 60 });
    const [young = ''] = await someQueuedMessages(harness, service, [inFile]);
    const statuses = () => Promise.all([...old, young].map(async (id) => (await messageOf(harness, id)).status));
    harness.clock.advance({ minutes: 70 * 60 });
    await harness.deliver();
    expect(await statuses()).toEqual(['created', 'created', 'created']);
    harness.clock.advance({ minutes: 90 });
    await harness.deliver();
    expect(await statuses()).toEqual(['technical-failure', 'technical-failure', 'created']);
    expect(await queueOf(harness, young)).toMatchObject({ attempts: 0, leased_by: null });
  });

  it('is refused in the order of section 0.4: the template before the guard, the guard before the daily limit', async () => {
    const team = await aPausedTeam({ email_message_limit: 0 });
    expect((await bulk(team.key, team.email)).body.errors[0].message).toBe(bounced);
    const unknown = newId(harness.clock.now());
    expect((await bulk(team.key, unknown)).body.errors[0].message).toBe('No result found');
  });

  it('is paused by complaints of 7 days, too', async () => {
    const team = await aTeam();
    await outcomes(team.service, { sent: 2_000, complaints: 6, hour: '2026-11-11T12:00:00Z' });
    await evaluateNow();
    const what = '0.30% of the emails of the last 7 days were reported as spam';
    expect((await bulk(team.key, team.email)).body.errors[0].message).toBe(paused(what));
  });

  it('is warned once in 24 hours, and again later', async () => {
    const { service, manager } = await aTeam();
    await outcomes(service, { sent: 1_000, hard_bounces: 60 });
    await evaluateNow();
    await outcomes(service, { sent: 10 });
    await evaluateNow();
    expect(await noticesTo(manager)).toEqual([['Sending to many: warning', 0]]);
    harness.clock.set('2026-11-18T11:50:00Z');
    await outcomes(service, { sent: 1_000, hard_bounces: 60 });
    await evaluateNow();
    expect(await noticesTo(manager)).toHaveLength(1);
    harness.clock.set('2026-11-18T12:30:00Z');
    await outcomes(service, { sent: 1_000, hard_bounces: 60, hour: '2026-11-18T12:00:00Z' });
    await evaluateNow();
    expect(await noticesTo(manager)).toHaveLength(2);
    // The last bounces leave the window without a new email.
    harness.clock.set('2026-11-19T14:30:00Z');
    await evaluateNow();
    expect((await guardOf(service)).state).toBe('ok');
  });
});

describe('GUARD', () => {
  it('warn only warns, off does nothing; neither refuses what was paused before', async () => {
    const [warned, off] = [await aPausedTeam(), await aTeam()];
    const warning = await harness.anotherProcess({ guard: { mode: 'warn' } });
    const rows = { name: 'list', template_id: warned.email, rows: [['email address'], ['a@example.org']] };
    expect((await warning.v2('POST', url, warned.key, rows)).status).toBe(201);
    await outcomes(warned.service, { sent: 1 });
    await evaluateServices(warning.app);
    expect((await warning.admin('GET', `/service/${warned.service}/guard`)).body.data.state).toBe('warned');
    await outcomes(off.service, { sent: 1_000, hard_bounces: 500 });
    const idle = await harness.anotherProcess({ guard: { mode: 'off' } });
    await evaluateServices(idle.app);
    expect((await idle.admin('GET', `/service/${off.service}/guard`)).body.data).toMatchObject({
      state: 'ok',
      bounce_rate: '50.00',
    });
    await evaluateNow();
    expect((await guardOf(off.service)).state).toBe('paused');
  });
});

describe('POST /service/{id}/guard/lift', () => {
  it('204 for a manager, once in 7 days; then only for a platform administrator', async () => {
    const { service, key, email, manager, member } = await aPausedTeam();
    expect((await lift(service, member)).status).toBe(403);
    expect((await lift(service, manager, '')).status).toBe(400);
    expect((await lift(service, manager, '  ')).body.message).toEqual({ reason: ['Enter a reason.'] });
    expect((await lift(service, manager)).status).toBe(204);
    await harness.app.changeListener.catchUp();
    expect((await bulk(key, email)).status).toBe(201);
    expect((await lift(service, manager)).body.message).toBe('Sending to many is not paused');
    // What was before the lift no longer counts.
    await outcomes(service, { sent: 1, hard_bounces: 1 });
    await evaluateNow();
    expect(await guardOf(service)).toMatchObject({
      state: 'ok',
      team_can_lift: false,
      lift_reason: 'The list is clean',
    });

    harness.clock.set('2026-11-19T12:30:00Z');
    await outcomes(service, { sent: 1_000, hard_bounces: 500, hour: '2026-11-19T11:00:00Z' });
    await evaluateNow();
    expect((await lift(service, manager)).body.message).toBe(
      'This pause is the second in 7 days. Ask an operator to lift it.',
    );
    const admin = await aUser(harness);
    await harness.app.db.updateTable('users').set({ platform_admin: true }).where('id', '=', admin).execute();
    expect((await lift(service, admin)).status).toBe(204);
    const audited = await harness.app.db
      .selectFrom('audit_log')
      .select(['action', 'noun'])
      .where('service_id', '=', service)
      .where('noun', '=', 'service_guard')
      .execute();
    expect(audited).toHaveLength(2);
  });

  it('404 for an unknown service and person', async () => {
    const { service, manager } = await aTeam();
    const unknown = newId(harness.clock.now());
    expect((await lift(service, unknown)).status).toBe(404);
    const other = await aTeam();
    expect((await lift(other.service, manager)).status).toBe(403);
  });
});

describe('POST /service/{id}/guard/exempt', () => {
  const exempt = (service: string, user_id: string, exempt_until: string | null) =>
    harness.admin('POST', `/service/${service}/guard/exempt`, { exempt_until, user_id });

  it('204 for a platform administrator: the pause ends, and the service is only warned until that day', async () => {
    const { service, key, email, manager } = await aPausedTeam();
    const admin = await aUser(harness);
    await harness.app.db.updateTable('users').set({ platform_admin: true }).where('id', '=', admin).execute();
    expect((await exempt(service, manager, '2026-11-20')).status).toBe(403);
    expect((await exempt(service, admin, '2026-11-17')).body.message).toEqual({
      exempt_until: ['Enter a date in the future.'],
    });
    expect((await exempt(service, admin, '2026-11-18')).status).toBe(204);
    await harness.app.changeListener.catchUp();
    expect((await bulk(key, email)).status).toBe(201);
    await outcomes(service, { sent: 1_000, hard_bounces: 900 });
    await evaluateNow();
    expect((await guardOf(service)).state).toBe('warned');
    harness.clock.set('2026-11-18T00:00:00Z');
    await outcomes(service, { sent: 1, hard_bounces: 1 });
    await evaluateNow();
    expect((await guardOf(service)).state).toBe('paused');
  });
});

describe('GET /v2/sending-status', () => {
  it('200 with the state and the rates', async () => {
    const [{ key }, other] = [await aPausedTeam(), await aTeam()];
    const since = '2026-11-17T12:30:00.000000Z';
    expect((await harness.v2('GET', '/v2/sending-status', key)).body).toEqual({
      email: { state: 'paused', because: 'bounces', bounce_rate: '12.40', complaint_rate: '0.000', since },
    });
    expect((await harness.v2('GET', '/v2/sending-status', other.key)).body).toEqual({
      email: { state: 'ok', because: null, bounce_rate: '0.00', complaint_rate: '0.000', since: null },
    });
  });
});

describe('a suppression list that is switched on while the guard complains', () => {
  it('has the addresses that bounced at once', async () => {
    const { service, key, email } = await aTeam();
    const ids: string[] = [];
    for (const email_address of ['a@example.org', 'b@example.org']) {
      const { body } = await harness.v2('POST', '/v2/notifications/email', key, { email_address, template_id: email });
      ids.push(body.id);
    }
    await harness.deliver();
    await harness.app.db
      .updateTable('notifications')
      .set({ status: 'permanent-failure' })
      .where('id', '=', ids[0] ?? '')
      .execute();
    await outcomes(service, { sent: 1_000, hard_bounces: 124 });
    await evaluateNow();
    const permissions = ['email', 'sms', 'suppress_recipients'];
    expect((await harness.admin('POST', `/service/${service}`, { permissions })).status).toBe(200);
    const list = (await harness.admin('GET', `/service/${service}/suppression-list`)).body.suppressed_recipients;
    expect(list.map((entry: { email_address: string }) => entry.email_address)).toEqual(['a@example.org']);
  });
});

describe('the metrics', () => {
  it('count services and changes', async () => {
    measureGuard(harness.app);
    const before = await metricOf(harness, 'email_guard_changes_total');
    await aPausedTeam();
    expect(await metricOf(harness, 'email_guard_services')).toMatch(/email_guard_services\{state="paused"\} [1-9]/);
    const after = await metricOf(harness, 'email_guard_changes_total');
    expect(after).toContain('to="paused",because="bounces"');
    expect(after).not.toBe(before);
    const warning = await harness.anotherProcess({ guard: { mode: 'warn' } });
    measureGuard(warning.app);
    expect(await metricOf(warning, 'email_guard_services')).toContain('email_guard_services{state="paused"} 0');
  });
});

describe('a file that is paused in the middle, with two workers', () => {
  const rows = isLongRun ? 100_000 : 1_200;

  it('goes on after the lift: no row is lost, none is sent twice', { timeout: 600_000 }, async () => {
    harness.clock.set(new Date());
    const { service, key, email, manager } = await aTeam();
    const recipients = Array.from({ length: rows }, (_, n) => [`person-${n}@example.org`]);
    const { status } = await bulk(key, email, { rows: [['email address'], ...recipients] });
    expect(status).toBe(201);
    await harness.runTasks();
    const workers = [harness.app, (await harness.anotherProcess()).app].map((app) => buildDelivery(app));
    const countSent = async () => {
      const { rows: found } = await sql<{ sent: number; different: number }>`
        select coalesce(sum(times_sent), 0)::int as sent, count(*)::int as different from sandbox_messages
        where reference in (select id from notifications where service_id = ${service})`.execute(harness.app.db);
      return found[0] ?? { sent: 0, different: 0 };
    };
    // Not the rows: reading 100,000 of them again and again takes longer than sending.
    const queue = async () => {
      const { rows: found } = await sql<{ waiting: number; leased: number; state: string | null }>`
        select count(*)::int as waiting, count(leased_by)::int as leased,
          md5(string_agg(to_jsonb(q)::text, ',' order by notification_id)) as state
        from delivery_queue q where service_id = ${service}`.execute(harness.app.db);
      return found[0] ?? { waiting: 0, leased: 0, state: null };
    };
    for (const worker of workers) worker.start();
    try {
      await vi.waitFor(async () => expect((await countSent()).sent).toBeGreaterThan(100), { timeout: 60_000 });
      const hour = timestamp(new Date(Math.floor(harness.clock.now().getTime() / 3_600_000) * 3_600_000));
      await outcomes(service, { sent: 1_000, hard_bounces: 1_000, hour });
      await evaluateServices(harness.app);
      await vi.waitFor(async () => expect((await queue()).leased).toBe(0), { timeout: 60_000 });
      const waiting = await queue();
      expect(waiting.waiting).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await queue()).toEqual(waiting);
      expect((await lift(service, manager)).status).toBe(204);
      await vi.waitFor(async () => expect((await queue()).waiting).toBe(0), { timeout: 500_000, interval: 1_000 });
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
    expect(await countSent()).toEqual({ sent: rows, different: rows });
    const statuses = await harness.app.db
      .selectFrom('notifications')
      .select(['status', (row) => row.fn.countAll<number>().as('count')])
      .where('service_id', '=', service)
      .groupBy('status')
      .execute();
    expect(statuses).toEqual([{ status: 'sending', count: rows }]);
  });
});
