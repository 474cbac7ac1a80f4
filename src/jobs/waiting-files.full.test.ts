import { beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../test/kit/harness.ts';
import { metricOf } from '../../test/kit/world/metrics.ts';
import { measureHeld } from '../notifications/windows/held-messages.ts';

const night = '2026-11-16T22:00:00Z';
const opening = '2026-11-17T08:00:00.000000Z';
const inTokyo = '2026-11-16T23:00:00.000000Z';
const harness = useHarness({ now: night });
const { admin } = harness;
const query = (text: string, values?: unknown[]) => harness.app.pool.query(text, values);

const daytime = {
  name: 'Daytime',
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  from_time: '08:00',
  until_time: '21:00',
};

beforeEach(() => harness.clock.set(night));

interface Team {
  window?: object;
  template?: object;
  service?: object;
}

async function aTeam({ window = {}, template = {}, service: of = {} }: Team = {}) {
  const permissions = ['sms', 'email', 'international_sms'];
  const service = await aService(harness, { permissions, ...of });
  const url = `/service/${service}`;
  const { body } = await admin('POST', `${url}/send-window`, { ...daytime, ...window });
  const window_id: string = body.data.id;
  const times = { sms_window_id: window_id, email_window_id: window_id, time_zone: null };
  const choose = (more: object = {}) => admin('POST', `${url}/sending-times`, { ...times, ...more });
  expect((await choose()).status).toBe(204);
  const user = await aUser(harness);
  const template_id = await aTemplate(harness, service, { content: 'Hello', ...template });
  const key = await anApiKey(harness, service);
  const send = (rows: string[][], more: object = {}, withKey = key) =>
    harness.v2('POST', '/v2/notifications/bulk', withKey, { name: 'People', template_id, rows, ...more });
  const sent = async (rows: string[][], more: object = {}): Promise<string> => {
    const { status, body: answer } = await send(rows, more);
    expect(status, JSON.stringify(answer)).toBe(201);
    return answer.data.id;
  };
  const post = (path: string, fields?: object) => admin('POST', `${url}/${path}`, fields);
  const job = async (id: string) => (await admin('GET', `${url}/job/${id}`)).body.data;
  return { service, url, window_id, choose, user, template_id, key, send, sent, post, job };
}

const texts = (...numbers: string[]) => [['phone number'], ...numbers.map((number) => [number])];
const home = texts('07700900301', '07700900302', '07700900303');

/** Runs what is due at a moment. */
async function at(moment: string): Promise<void> {
  harness.clock.set(moment);
  await harness.runTasks();
}

async function rowsOf(job: string): Promise<{ status: string; due_at: string | null; held_until: string | null }[]> {
  const { rows } = await query(
    `select n.status, q.due_at, h.held_until from notifications n
      left join delivery_queue q on q.notification_id = n.id left join held_messages h on h.notification_id = n.id
    where n.job_id = $1 order by n.job_row_number`,
    [job],
  );
  return rows;
}

async function counted(service: string): Promise<Record<string, number>> {
  const { rows } = await query(
    `select utc_day::text as day, count from daily_message_counts where service_id = $1 and channel = 'sms'`,
    [service],
  );
  return Object.fromEntries(rows.map(({ day, count }) => [day, count]));
}

describe('a file whose sending times are closed for all of its rows', () => {
  it('waits without messages, says until when on every door, and is spread from the opening on', async () => {
    const { job, sent, key, url } = await aTeam();
    const id = await sent(home);
    const waiting = { job_status: 'scheduled', scheduled_for: opening, held_until: opening, rows_done: 0 };
    expect(await job(id)).toMatchObject(waiting);
    expect((await admin('GET', `${url}/job`)).body.data).toMatchObject([waiting]);
    expect((await harness.v2('GET', `/v2/notifications/bulk/${id}`, key)).body.data).toMatchObject(waiting);
    expect((await harness.v2('GET', '/v2/notifications/bulk', key)).body.bulk_jobs).toMatchObject([waiting]);
    await at('2026-11-17T07:59:59Z');
    expect(await rowsOf(id)).toEqual([]);
    await at('2026-11-17T08:00:00Z');
    const rows = await rowsOf(id);
    expect(rows).toHaveLength(3);
    for (const { due_at, held_until } of rows) {
      expect(held_until).toBe(opening);
      expect(due_at && due_at > opening && due_at < '2026-11-17T08:10:00.000000Z').toBe(true);
    }
    expect(await job(id)).toMatchObject({ rows_done: 3, held_until: opening });
    await at('2026-11-17T08:10:00Z');
    await harness.deliver();
    expect(await job(id)).not.toHaveProperty('held_until');
    expect((await rowsOf(id)).map(({ status }) => status)).not.toContain('created');
  });

  it('starts with the first zone in which a row may go out; the others wait as messages', async () => {
    const { job, sent } = await aTeam();
    const id = await sent([
      ['phone number', 'time zone'],
      ['07700900301', 'Asia/Tokyo'],
      ['07700900302', ''],
    ]);
    expect(await job(id)).toMatchObject({ held_until: inTokyo });
    await at('2026-11-16T23:00:00Z');
    expect((await rowsOf(id)).map(({ held_until }) => held_until)).toEqual([inTokyo, opening]);
  });

  it('starts at once where one of the rows may go out', async () => {
    const { job, sent } = await aTeam();
    const rows = [
      ['phone number', 'Time_Zone'],
      ['07700900301', 'America/New_York'],
      ['07700900302', ''],
    ];
    const id = await sent(rows);
    expect(await job(id)).toMatchObject({ job_status: 'pending', scheduled_for: null });
    await harness.runTasks();
    expect((await rowsOf(id)).map(({ held_until }) => held_until)).toEqual([null, opening]);
  });

  it.each([
    ['a number in a country with one zone', texts('+33612345678'), '2026-11-17T07:00:00.000000Z'],
    ['the first of several countries', texts('07700900301', '+33612345678'), '2026-11-17T07:00:00.000000Z'],
    [
      'all zones of a country with several',
      texts('+12128675309'),
      '2026-11-17T18:00:00.000000Z',
      '2026-11-17T07:00:00Z',
    ],
    [
      'a zone in another case',
      [
        ['phone number', 'time zone'],
        ['07700900301', 'asia/tokyo'],
      ],
      inTokyo,
    ],
  ])('waits for %s', async (_, rows, held_until, now = night) => {
    const { job, sent } = await aTeam();
    harness.clock.set(now);
    expect(await job(await sent(rows))).toMatchObject({ held_until });
  });

  it('of emails waits for the zone of the service', async () => {
    const { job, sent, choose } = await aTeam({ template: { template_type: 'email', subject: 'Hi' } });
    expect((await choose({ time_zone: 'Asia/Kolkata' })).status).toBe(204);
    const id = await sent([['email address'], ['a@example.org']]);
    expect(await job(id)).toMatchObject({ held_until: '2026-11-17T02:30:00.000000Z' });
  });

  it('that is scheduled waits from then on, and goes at its exact time where they are open', async () => {
    const { job, sent } = await aTeam();
    const closed = await sent(home, { scheduled_for: '2026-11-17T03:00:00Z' });
    expect(await job(closed)).toMatchObject({ scheduled_for: opening, held_until: opening });
    const open = await sent(home, { scheduled_for: '2026-11-17T12:34:56Z' });
    const exact = '2026-11-17T12:34:56.000000Z';
    expect(await job(open)).toMatchObject({ scheduled_for: exact });
    expect(await job(open)).not.toHaveProperty('held_until');
    await at(exact);
    expect((await rowsOf(open)).map(({ held_until }) => held_until)).toEqual([null, null, null]);
  });

  it('waits as long as it takes', async () => {
    const closed_days = Array.from({ length: 10 }, (_, day) => `2026-11-${17 + day}`);
    const { job, sent } = await aTeam({ window: { closed_days } });
    const id = await sent(home);
    expect(await job(id)).toMatchObject({ held_until: '2026-11-27T08:00:00.000000Z' });
    await harness.addTask('apply-retention');
    await harness.addTask('delete-expired-data');
    await at('2026-11-26T12:00:00Z');
    await harness.addTask('apply-retention');
    await harness.addTask('delete-expired-data');
    await at('2026-11-27T08:10:00Z');
    expect(await rowsOf(id)).toHaveLength(3);
  });

  it('400 where they never begin, and nothing is stored', async () => {
    const { send, service } = await aTeam({ window: { from_time: '03:00', until_time: '03:30' } });
    // No half hour is the same one in all zones of the country.
    const { status, body } = await send(texts('+12128675309'));
    expect([status, body.errors?.[0].message]).toEqual([
      400,
      'Your sending times are closed for more than 14 days. Send this later, or use a priority template',
    ]);
    expect((await query('select from jobs where service_id = $1', [service])).rows).toEqual([]);
  });

  it('does not keep other files from being accepted', async () => {
    const { sent } = await aTeam();
    for (let file = 0; file < 7; file += 1) await sent(home);
  });

  it('does not wait with a test key, with a priority template, and where the template has no window', async () => {
    const { service, send, key, post, template_id } = await aTeam();
    const statusOf = async (more: object = {}, withKey = key) => (await send(home, more, withKey)).body.data.job_status;
    expect(await statusOf({}, await anApiKey(harness, service, { key_type: 'test' }))).toBe('pending');
    const urgent = await aTemplate(harness, service, { content: 'Code', process_type: 'priority' });
    expect(await statusOf({ template_id: urgent })).toBe('pending');
    expect((await post(`template/${template_id}/sending-times`, { window: 'none' })).status).toBe(204);
    expect(await statusOf()).toBe('pending');
  });

  it('is counted among the messages that wait', async () => {
    const { sent } = await aTeam();
    measureHeld(harness.app);
    const value = async () => Number(/\{channel="sms"\} (\d+)/.exec(await metricOf(harness, 'messages_held'))?.[1]);
    const before = await value();
    await sent(home);
    expect((await value()) - before).toBe(3);
  });

  it('is counted among the messages that are overdue, if nothing has started it a day after the opening', async () => {
    measureHeld(harness.app);
    const value = async (moment: string) => {
      harness.clock.set(moment);
      return Number(/\{channel="sms"\} (\d+)/.exec(await metricOf(harness, 'messages_held_overdue'))?.[1]);
    };
    const [aDay, longer] = ['2026-11-18T08:00:00Z', '2026-11-18T08:00:01Z'];
    const others = [await value(aDay), await value(longer)];
    harness.clock.set(night);
    const { sent } = await aTeam();
    const id = await sent(home);
    expect([await value(aDay), await value(longer)]).toEqual([others[0], (others[1] ?? 0) + 3]);
    await at('2026-11-18T09:00:00Z');
    expect(await rowsOf(id)).toHaveLength(3);
    await harness.deliver();
    expect(await value(longer)).toBe(0);
  });
});

describe('a file that waits', () => {
  it('is replaced if its task was lost', async () => {
    const { sent } = await aTeam();
    const id = await sent(home);
    await query('delete from graphile_worker._private_jobs');
    harness.clock.set('2026-11-17T08:01:00Z');
    await harness.addTask('resume-jobs');
    await harness.runTasks();
    expect(await rowsOf(id)).toHaveLength(3);
  });

  it('waits again if it is woken too early, however often', async () => {
    const { sent, job } = await aTeam();
    const id = await sent(home);
    for (const hour of ['02', '03']) {
      await query(`update jobs set scheduled_for = $2 where id = $1`, [id, `2026-11-17T${hour}:00:00Z`]);
      harness.clock.set(`2026-11-17T${hour}:02:00Z`);
      await query(`update jobs set updated_at = null where id = $1`, [id]);
      await harness.addTask('resume-jobs');
      await harness.runTasks();
      expect(await rowsOf(id)).toEqual([]);
      expect(await job(id)).toMatchObject({ job_status: 'scheduled', held_until: opening });
    }
    await at('2026-11-17T08:00:00Z');
    expect(await rowsOf(id)).toHaveLength(3);
  });

  it('gets its new time when the sending times change, and goes at once when there are none', async () => {
    const { window_id, choose, post, sent, job } = await aTeam();
    const id = await sent(home);
    const scheduled = await sent(home, { scheduled_for: '2026-11-17T05:00:00Z' });
    const change = async (fields: object) => {
      expect((await post(`send-window/${window_id}`, { ...daytime, ...fields })).status).toBe(200);
      await harness.runTasks();
    };
    await change({ from_time: '06:00' });
    const six = '2026-11-17T06:00:00.000000Z';
    expect([await job(id), await job(scheduled)]).toMatchObject([{ held_until: six }, { held_until: six }]);
    await change({ from_time: '10:00' });
    const ten = '2026-11-17T10:00:00.000000Z';
    expect(await job(id)).toMatchObject({ scheduled_for: ten, held_until: ten });
    await at(opening);
    expect(await rowsOf(id)).toEqual([]);
    harness.clock.set(night);
    expect((await choose({ sms_window_id: null })).status).toBe(204);
    await harness.runTasks();
    expect((await rowsOf(id)).map(({ held_until }) => held_until)).toEqual([null, null, null]);
    const five = '2026-11-17T05:00:00.000000Z';
    expect(await job(scheduled)).toMatchObject({ job_status: 'scheduled', scheduled_for: five });
    expect(await job(scheduled)).not.toHaveProperty('held_until');
  });

  it('was scheduled for when they are open, and waits if they are closed then after a change', async () => {
    const { window_id, post, sent, job } = await aTeam();
    const id = await sent(home, { scheduled_for: '2026-11-17T09:00:00Z' });
    await post(`send-window/${window_id}`, { ...daytime, from_time: '10:00' });
    await harness.runTasks();
    expect(await job(id)).toMatchObject({ held_until: '2026-11-17T10:00:00.000000Z' });
  });

  it('keeps its share of the limit of the day on which it was accepted, and gives it back on that day only', async () => {
    const { service, sent, send, post } = await aTeam({ service: { sms_message_limit: 5 } });
    const [monday, tuesday] = ['2026-11-16', '2026-11-17'];
    const first = await sent(home);
    expect(await counted(service)).toEqual({ [monday]: 3 });
    expect((await send(home)).status).toBe(400);
    expect((await post(`job/${first}/cancel`)).status).toBe(200);
    expect(await counted(service)).toEqual({ [monday]: 0 });
    const [second, third] = [await sent(home), await sent(texts('07700900304'))];
    await at('2026-11-17T07:00:00Z');
    expect((await post(`job/${third}/cancel`)).status).toBe(200);
    await at(opening);
    expect(await rowsOf(second)).toHaveLength(3);
    const all = await counted(service);
    expect([all[monday], all[tuesday] ?? 0]).toEqual([4, 0]);
  });

  it('of a scheduled start counts towards the day on which it starts', async () => {
    const { service, sent } = await aTeam();
    await sent(home, { scheduled_for: '2026-11-17T03:00:00Z' });
    expect(await counted(service)).toEqual({});
    await at(opening);
    expect(await counted(service)).toEqual({ '2026-11-17': 3 });
  });

  it.each([
    ['archived', (team: Awaited<ReturnType<typeof aTeam>>) => team.post('archive'), 'Service is inactive'],
    [
      'without its template',
      (team: Awaited<ReturnType<typeof aTeam>>) =>
        team.post(`template/${team.template_id}`, { archived: true, created_by: team.user }),
      'Template has been deleted',
    ],
  ])('is cancelled at the opening where the service is %s', async (_, change, cancelled_because) => {
    const team = await aTeam();
    const id = await team.sent(home);
    expect((await change(team)).status).toBeLessThan(300);
    await at(opening);
    const { rows } = await query('select status, cancelled_because from jobs where id = $1', [id]);
    expect(rows).toEqual([{ status: 'cancelled', cancelled_because }]);
    expect(await rowsOf(id)).toEqual([]);
  });

  it('sends the version of the template with which it was accepted', async () => {
    const { sent, post, template_id, user } = await aTeam();
    const id = await sent(home);
    expect((await post(`template/${template_id}`, { content: 'Bye', created_by: user })).status).toBe(200);
    await at(opening);
    const { rows } = await query('select distinct template_version from notifications where job_id = $1', [id]);
    expect(rows).toEqual([{ template_version: 1 }]);
  });

  it('starts through the admin API as through the other one', async () => {
    const { url, template_id, user, post, job } = await aTeam();
    const upload = await harness.request({
      method: 'POST',
      url: `${url}/upload?filename=people.csv&template_id=${template_id}`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
      payload: home.join('\n'),
    });
    const { id } = upload.body.data;
    const { status, body } = await post('job', { id, created_by: user });
    expect([status, body.data]).toMatchObject([201, { job_status: 'scheduled', held_until: opening }]);
    expect(await job(id)).toMatchObject({ scheduled_for: opening });
  });
});

describe('a file that waits is sent now', () => {
  it('before any row is a message', async () => {
    const { sent, post, job } = await aTeam();
    const id = await sent(home);
    expect((await post(`job/${id}/send-now`)).status).toBe(204);
    expect(await job(id)).not.toHaveProperty('held_until');
    await harness.runTasks();
    await harness.deliver();
    expect((await rowsOf(id)).map(({ status, held_until }) => [status === 'created', held_until])).toEqual(
      Array(3).fill([false, null]),
    );
    expect((await post(`job/${id}/send-now`)).status).toBe(400);
  });

  it('while its rows become messages', async () => {
    const { sent, post } = await aTeam();
    const id = await sent(home);
    const started = `update jobs set status = 'in progress', processing_started = $2 where id = $1`;
    await query(started, [id, opening]);
    harness.clock.set(opening);
    expect((await post(`job/${id}/send-now`)).status).toBe(204);
    await harness.runTasks();
    expect((await rowsOf(id)).map(({ held_until }) => held_until)).toEqual([null, null, null]);
  });

  it.each(['send-now', 'cancel'])('or cancelled while its messages are spread: %s', async (action) => {
    const { sent, post, job } = await aTeam();
    const id = await sent(texts(...Array.from({ length: 50 }, (_, row) => `07700900${300 + row}`)));
    await at(opening);
    await at('2026-11-17T08:05:00Z');
    await harness.deliver();
    const unsent = (await rowsOf(id)).filter(({ status }) => status === 'created').length;
    expect(unsent).toBeGreaterThan(0);
    expect(unsent).toBeLessThan(50);
    expect(await job(id)).toMatchObject({ held_until: opening });
    expect((await post(`job/${id}/${action}`)).status).toBeLessThan(300);
    await harness.runTasks();
    await harness.deliver();
    const statuses = (await rowsOf(id)).map(({ status }) => status);
    expect(statuses).not.toContain('created');
    expect(statuses.filter((status) => status === 'cancelled')).toHaveLength(action === 'cancel' ? unsent : 0);
    expect(await job(id)).not.toHaveProperty('held_until');
  });

  it('not if it is scheduled for when they are open', async () => {
    const { sent, post } = await aTeam();
    const id = await sent(home, { scheduled_for: '2026-11-17T12:00:00Z' });
    const { status, body } = await post(`job/${id}/send-now`);
    expect([status, body.message]).toEqual([400, 'No message of this file waits for its sending time']);
  });
});
