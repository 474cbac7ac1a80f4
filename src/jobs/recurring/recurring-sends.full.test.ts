import { afterEach, describe, expect, it } from 'vitest';
import { aRecurringTeam } from '../../../test/kit/builders/recurring-sends.ts';
import { aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { metricOf } from '../../../test/kit/world/metrics.ts';
import { timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';
import { runRecurringSends } from './recurring-sends.task.ts';

const now = '2026-10-20T12:00:00Z';
const harness = useHarness({ now, config: { guard: { mode: 'on' } } });
const { admin } = harness;
const times = { rule: 'FREQ=WEEKLY;BYDAY=MO', starts_on: '2026-10-20', at_time: '01:30' };

function aTeam(template_type: 'sms' | 'email' = 'sms') {
  harness.clock.set(now);
  return aRecurringTeam(harness, {}, template_type);
}

// Otherwise their later dates would run in later tests.
afterEach(() => harness.app.db.deleteFrom('recurring_sends').execute());

async function runAt(moment: string) {
  harness.clock.set(moment);
  await harness.addTask('run-recurring-sends');
  await harness.runTasks();
}

const messagesOf = async (service: string) =>
  (await harness.app.pool.query('select from notifications where service_id = $1', [service])).rows.length;

describe('a recurring send', () => {
  it('has its next five dates in the time of its zone, before and after it is saved', async () => {
    const { url, create } = await aTeam();
    const dates = ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23'].map(
      (day) => `${day}T01:30:00.000000Z`,
    );
    expect((await admin('POST', `${url}/dates`, times)).body).toEqual({ data: dates });
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      state: 'active',
      next_at: dates[0],
      next_dates: dates,
      time_zone: 'Europe/London',
    });
    expect((await admin('GET', url)).body.data).toEqual([body.data]);
  });

  it('of the last working day of each month leaves out weekends and public holidays', async () => {
    const { url } = await aTeam();
    const monthly = { rule: 'FREQ=MONTHLY;BYDAY=-1WD', starts_on: '2027-05-01', at_time: '09:00', time_zone: 'UTC' };
    // The last Monday of May is a bank holiday.
    expect((await admin('POST', `${url}/dates`, monthly)).body.data).toEqual(
      ['2027-05-28', '2027-06-30', '2027-07-30', '2027-08-31', '2027-09-30'].map((day) => `${day}T09:00:00.000000Z`),
    );
  });

  it('makes one job for each date from the list as it is then, with several processes at once', async () => {
    const { service, contact_list_id, create, read } = await aTeam();
    const { id } = (await create()).body.data;
    await runAt('2026-10-26T01:29:59Z');
    expect((await read(id)).runs).toEqual([]);
    harness.clock.set('2026-10-26T01:30:00Z');
    const others = await Promise.all([harness.anotherProcess(), harness.anotherProcess()]);
    await Promise.all([harness.app, ...others.map(({ app }) => app)].map((app) => runRecurringSends(app)));
    await harness.runTasks();
    const { runs, next_at } = await read(id);
    expect(runs).toMatchObject([{ due_at: '2026-10-26T01:30:00.000000Z', outcome: 'sent', reason: null }]);
    expect(next_at).toBe('2026-11-02T01:30:00.000000Z');
    expect(await messagesOf(service)).toBe(2);
    const jobs = await harness.app.db
      .selectFrom('jobs')
      .select(['id', 'contact_list_id'])
      .where('service_id', '=', service)
      .execute();
    expect(jobs).toEqual([{ id: runs[0].job_id, contact_list_id }]);
  });

  it('is sent once on the night on which the clocks go back, and on the night on which they go forward', async () => {
    const { service, url, create, read } = await aTeam();
    const daily = { rule: 'FREQ=DAILY', starts_on: '2026-10-25' };
    const { id } = (await create(daily)).body.data;
    for (const hour of ['00:30', '01:30', '02:30']) await runAt(`2026-10-25T${hour}:00Z`);
    expect((await read(id)).runs).toMatchObject([{ due_at: '2026-10-25T00:30:00.000000Z', outcome: 'sent' }]);
    expect(await messagesOf(service)).toBe(2);
    const spring = (await create({ rule: 'FREQ=DAILY;COUNT=1', starts_on: '2027-03-28' })).body.data;
    expect(spring.next_dates).toEqual(['2027-03-28T01:00:00.000000Z']);
    await admin('POST', `${url}/${id}/pause`);
    for (const hour of ['00:30', '01:00', '01:30', '02:30']) await runAt(`2027-03-28T${hour}:00Z`);
    expect((await read(spring.id)).runs).toMatchObject([{ due_at: '2027-03-28T01:00:00.000000Z', outcome: 'sent' }]);
    expect(await messagesOf(service)).toBe(4);
  });

  it('is finished after a process was killed in the middle, without a second job', async () => {
    const { service, create, read } = await aTeam();
    const { id } = (await create()).body.data;
    await runAt('2026-10-26T01:30:00Z');
    const interrupted = { outcome: 'started', leased_until: '2026-10-26T01:35:00Z' } as const;
    await harness.app.db.updateTable('recurring_runs').set(interrupted).where('recurring_id', '=', id).execute();
    await runAt('2026-10-26T01:34:00Z');
    expect((await read(id)).runs).toMatchObject([{ outcome: 'started' }]);
    await runAt('2026-10-26T01:35:00Z');
    expect((await read(id)).runs).toMatchObject([{ outcome: 'sent' }]);
    expect(await messagesOf(service)).toBe(2);
  });

  describe('that meets an unexpected error', () => {
    /** The stored header of its list cannot be read. */
    const breakList = ({ contact_list_id }: Team, header = '{}') =>
      harness.app.db.updateTable('uploads').set({ header }).where('id', '=', contact_list_id).execute();

    async function twoTeams() {
      const [broken, other] = [await aTeam(), await aTeam()];
      const { id } = (await broken.create()).body.data;
      const { id: later } = (await other.create({ at_time: '01:31' })).body.data;
      const { header } = await harness.app.db
        .selectFrom('uploads')
        .select('header')
        .where('id', '=', broken.contact_list_id)
        .executeTakeFirstOrThrow();
      await breakList(broken);
      return { broken, other, id, later, repair: () => breakList(broken, JSON.stringify(header)) };
    }

    it('keeps no other service waiting, fails its task, and is sent once the cause is gone', async () => {
      const { broken, other, id, later, repair } = await twoTeams();
      harness.clock.set('2026-10-26T01:31:00Z');
      await expect(runRecurringSends(harness.app)).rejects.toThrow('1 recurring sends failed');
      await harness.runTasks();
      expect((await other.read(later)).runs).toMatchObject([{ outcome: 'sent' }]);
      expect((await broken.read(id)).runs).toMatchObject([{ outcome: 'started', reason: 'An unexpected error' }]);
      await repair();
      await runAt('2026-10-26T01:36:00Z');
      expect((await broken.read(id)).runs).toMatchObject([{ outcome: 'sent', reason: null }]);
      expect([await messagesOf(broken.service), await messagesOf(other.service)]).toEqual([2, 2]);
    });

    it('fails for good after six hours', async () => {
      const { broken, id } = await twoTeams();
      harness.clock.set('2026-10-26T01:31:00Z');
      await expect(runRecurringSends(harness.app)).rejects.toThrow();
      await runAt('2026-10-26T07:31:00Z');
      const failed = { outcome: 'failed', reason: 'An unexpected error' };
      expect(await broken.read(id)).toMatchObject({ state: 'active', runs: [failed] });
      expect(await messagesOf(broken.service)).toBe(0);
    });

    it('keeps no other service waiting either if its next date cannot be calculated', async () => {
      const { broken, other, id, later, repair } = await twoTeams();
      await repair();
      const set = (rule: string) =>
        harness.app.db.updateTable('recurring_sends').set({ rule }).where('id', '=', id).execute();
      await set('FREQ=HOURLY');
      harness.clock.set('2026-10-26T01:31:00Z');
      await expect(runRecurringSends(harness.app)).rejects.toThrow('1 recurring sends failed');
      await harness.runTasks();
      expect((await other.read(later)).runs).toMatchObject([{ outcome: 'sent' }]);
      await set(times.rule);
      expect((await broken.read(id)).runs).toEqual([]);
      await runAt('2026-10-26T01:32:00Z');
      expect((await broken.read(id)).runs).toMatchObject([{ outcome: 'sent' }]);
    });
  });

  it('does not wait for those of many other services at the same minute', async () => {
    const teams: Team[] = [];
    for (let count = 0; count < 22; count += 1) teams.push(await aTeam());
    for (const team of teams) expect((await team.create()).status).toBe(201);
    await runAt('2026-10-26T01:30:00Z');
    for (const { service } of teams) expect(await messagesOf(service)).toBe(2);
  });

  it('skips a date whose process was killed if nothing ran for six hours after it', async () => {
    const { service, create, read } = await aTeam();
    const { id } = (await create()).body.data;
    const due_at = '2026-10-26T01:30:00.000000Z';
    const next_at = '2026-11-02T01:30:00.000000Z';
    const run = { recurring_id: id, due_at, job_id: newId(new Date(due_at)), outcome: 'started' } as const;
    await harness.app.db.insertInto('recurring_runs').values(run).execute();
    await harness.app.db.updateTable('recurring_sends').set({ next_at }).where('id', '=', id).execute();
    await runAt('2026-10-26T07:31:00Z');
    expect((await read(id)).runs).toMatchObject([
      { outcome: 'skipped', reason: 'Pennypost was not running at that time' },
    ]);
    expect(await messagesOf(service)).toBe(0);
  });

  it.each(['2026-10-26T07:29:59Z', '2026-10-26T07:30:00Z'])('is sent late, at %s', async (moment) => {
    const { service, create, read } = await aTeam();
    const { id } = (await create()).body.data;
    await runAt(moment);
    expect((await read(id)).runs).toMatchObject([{ outcome: 'sent' }]);
    expect(await messagesOf(service)).toBe(2);
  });

  it('pauses itself after three dates in a row that failed, and counts again after one that was sent', async () => {
    const { service, created_by, url, template_id, create, read } = await aTeam();
    const { id } = (await create()).body.data;
    const changeTemplate = (content: string) =>
      admin('POST', `/service/${service}/template/${template_id}`, { content, created_by });
    const reason = 'File is not valid';
    await changeTemplate('Hello ((name))');
    await runAt('2026-10-26T01:30:00Z');
    await runAt('2026-11-02T01:30:00Z');
    expect(await read(id)).toMatchObject({ state: 'active', ends_reason: null });
    await changeTemplate('Hello');
    await runAt('2026-11-09T01:30:00Z');
    await changeTemplate('Hello ((name))');
    await runAt('2026-11-16T01:30:00Z');
    await runAt('2026-11-23T01:30:00Z');
    expect(await read(id)).toMatchObject({ state: 'active' });
    await runAt('2026-11-30T01:30:00Z');
    const paused = await read(id);
    expect(paused).toMatchObject({ state: 'paused', next_at: null });
    expect(paused.ends_reason).toContain(reason);
    const counted = await metricOf(harness, 'recurring_runs_total');
    for (const outcome of ['sent', 'failed']) expect(counted).toMatch(new RegExp(`outcome="${outcome}"} [1-9]`));
    expect(paused.runs.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      ...['failed', 'failed', 'failed', 'sent', 'failed', 'failed'],
    ]);
    expect(await messagesOf(service)).toBe(2);
    await changeTemplate('Hello');
    expect((await admin('POST', `${url}/${id}/resume`, { user_id: created_by })).status).toBe(204);
    expect(await read(id)).toMatchObject({ state: 'active', ends_reason: null });
  });

  it('skips what it missed by more than six hours, and says so', async () => {
    const { service, create, read } = await aTeam();
    const { id } = (await create()).body.data;
    await runAt('2026-10-26T07:31:00Z');
    expect((await read(id)).runs).toMatchObject([
      { outcome: 'skipped', reason: 'Pennypost was not running at that time' },
    ]);
    expect(await messagesOf(service)).toBe(0);
  });

  it('ends after its last date', async () => {
    const { create, read } = await aTeam();
    const { id } = (await create({ rule: 'FREQ=WEEKLY;BYDAY=MO;COUNT=1' })).body.data;
    await runAt('2026-10-26T01:30:00Z');
    expect(await read(id)).toMatchObject({
      state: 'ended',
      next_at: null,
      next_dates: [],
      runs: [{ outcome: 'sent' }],
    });
  });

  it.each([
    [
      'The contact list was deleted',
      (team: Team) => admin('DELETE', `/service/${team.service}/contact-list/${team.contact_list_id}`),
    ],
    [
      'The template was deleted',
      (team: Team) =>
        admin('POST', `/service/${team.service}/template/${team.template_id}`, {
          archived: true,
          created_by: team.created_by,
        }),
    ],
    [
      'The owner has left the service',
      ({ service }: Team) => harness.app.db.deleteFrom('service_members').where('service_id', '=', service).execute(),
    ],
    ['The owner may no longer send messages', ({ setRights }: Team) => setRights('activity', 'templates')],
    ['The owner can no longer see the template', hideTemplate],
  ])('pauses itself: %s', async (reason, change) => {
    const team = await aTeam();
    const { id } = (await team.create()).body.data;
    await change(team);
    await runAt('2026-10-26T01:30:00Z');
    expect(await team.read(id)).toMatchObject({
      ...{ state: 'paused', ends_reason: reason, next_at: null },
      runs: [{ outcome: 'failed', reason }],
    });
    expect(await messagesOf(team.service)).toBe(0);
  });

  it('pauses itself while sending to many is paused', async () => {
    const team = await aTeam('email');
    const { id } = (await team.create()).body.data;
    const at = timestamp(new Date(now));
    const paused = { state: 'paused', because: 'bounces', rate: '12.4', since: at, judged_at: at } as const;
    await harness.app.db
      .insertInto('service_guard')
      .values({ service_id: team.service, ...paused })
      .execute();
    await runAt('2026-10-26T01:30:00Z');
    const { state, ends_reason, runs } = await team.read(id);
    expect([state, ends_reason, runs[0].outcome]).toEqual(['paused', 'Sending to many is paused', 'failed']);
    expect(await messagesOf(team.service)).toBe(0);
  });

  it('ends if nobody resumes it within 14 days after its owner left', async () => {
    const { service, created_by, url, create, read } = await aTeam();
    const { id } = (await create()).body.data;
    await harness.app.db.deleteFrom('service_members').where('service_id', '=', service).execute();
    await runAt('2026-10-26T01:30:00Z');
    await runAt('2026-11-09T01:30:00Z');
    expect((await read(id)).state).toBe('paused');
    await runAt('2026-11-09T01:30:01Z');
    expect(await read(id)).toMatchObject({ state: 'ended', next_at: null });
    const late = await admin('POST', `${url}/${id}/resume`, { user_id: created_by });
    expect(late.body.message).toBe('This recurring send is not paused');
  });

  it('is paused, resumed for the next date, and deleted', async () => {
    const { service, created_by, url, create, read } = await aTeam();
    const { id } = (await create()).body.data;
    expect((await admin('POST', `${url}/${id}/pause`)).status).toBe(204);
    expect((await admin('POST', `${url}/${id}/pause`)).status).toBe(400);
    await runAt('2026-10-26T01:30:00Z');
    expect(await read(id)).toMatchObject({ state: 'paused', runs: [] });
    const stranger = await admin('POST', `${url}/${id}/resume`, { user_id: await aUser(harness) });
    expect(stranger.body.message).toEqual({ user_id: ['This person is not a member of the service.'] });
    expect((await admin('POST', `${url}/${id}/resume`, { user_id: created_by })).status).toBe(204);
    expect(await read(id)).toMatchObject({ state: 'active', next_at: '2026-11-02T01:30:00.000000Z' });
    expect((await admin('DELETE', `${url}/${id}`)).status).toBe(204);
    expect((await admin('GET', `${url}/${id}`)).status).toBe(404);
    expect(await messagesOf(service)).toBe(0);
  });
});

/** Puts the template into a folder that its owner cannot see. */
async function hideTemplate({ service, template_id }: Team) {
  const url = `/service/${service}/template-folder`;
  const { id } = (await admin('POST', url, { name: 'Secret', parent_id: null })).body.data;
  await admin('POST', `${url}/${id}`, { name: 'Secret', users_with_permission: [] });
  const moved = await admin('POST', `${url}/${id}/contents`, { templates: [template_id], folders: [] });
  expect(moved.status).toBe(204);
}

const unknownId = '00000000-0000-4000-8000-000000000000';
type Team = Awaited<ReturnType<typeof aTeam>>;

describe('400 for', () => {
  it.each([
    [{ rule: 'FREQ=HOURLY' }, { rule: ['Use a rule such as FREQ=WEEKLY;BYDAY=MO'] }],
    [
      { at_time: '24:00', starts_on: '2026-02-30', time_zone: 'Europe/Londn' },
      {
        ...{ at_time: ['Enter a time such as 10:00.'], starts_on: ['Enter a date such as 2026-12-01.'] },
        time_zone: ['Europe/Londn is not a time zone.'],
      },
    ],
    [{ sender_id: unknownId }, { sender_id: ['No result found'] }],
    [
      { rule: 'FREQ=DAILY;UNTIL=20261001', starts_on: '2026-09-01' },
      { rule: ['This rule has no date in the future.'] },
    ],
    [{ starts_on: '2025-10-18' }, { starts_on: ['Enter a day from 2025-10-19 to 2100-12-31.'] }],
    [
      { rule: 'FREQ=MONTHLY;BYDAY=-1WD', starts_on: '9999-12-31' },
      { starts_on: ['Enter a day from 2025-10-19 to 2100-12-31.'] },
    ],
    [{ rule: 'FREQ=DAILY;UNTIL=21010101' }, { rule: ['UNTIL cannot be after 2100-12-31'] }],
    [{ rule: 'FREQ=DAILY;UNTIL=99991231T235959Z' }, { rule: ['UNTIL cannot be after 2100-12-31'] }],
  ])('%j', async (wrong, message) => {
    const { create, url } = await aTeam();
    const { status, body } = await create(wrong);
    if ('rule' in wrong || 'starts_on' in wrong) {
      const dates = await admin('POST', `${url}/dates`, { ...times, ...wrong });
      expect(dates.status).toBe('rule' in message && /future/.test(String(message.rule)) ? 200 : 400);
    }
    expect([status, body]).toEqual([400, { result: 'error', message }]);
    expect((await admin('GET', url)).body).toEqual({ data: [] });
  });

  it('a list, template, sender or person of nobody or of another service', async () => {
    const { create } = await aTeam();
    const other = await aTeam();
    const unknown = ['No result found'];
    expect((await create({ contact_list_id: other.contact_list_id })).body.message).toEqual({
      contact_list_id: unknown,
    });
    expect((await create({ template_id: other.template_id })).body.message).toEqual({ template_id: unknown });
    expect((await create({ created_by: newId(new Date()) })).body.message).toEqual({ created_by: unknown });
    expect((await create({ created_by: other.created_by })).body.message).toEqual({
      created_by: ['This person is not a member of the service.'],
    });
  });
});
