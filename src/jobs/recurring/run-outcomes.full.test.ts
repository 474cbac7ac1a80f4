import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aRecurringTeam } from '../../../test/kit/builders/recurring-sends.ts';
import { aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { metricsOf } from '../../../test/kit/world/metrics.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { lockJobsOf } from '../jobs.sql.ts';
import { runRecurringSends } from './recurring-sends.task.ts';

const harness = useHarness({ now: '2026-10-20T12:00:00Z' });
const { admin } = harness;
beforeEach(() => harness.clock.set('2026-10-20T12:00:00Z'));
// Otherwise their later dates would run in later tests.
afterEach(() => harness.app.db.deleteFrom('recurring_sends').execute());

const mondays = ['2026-10-26T01:30:00Z', '2026-11-02T01:30:00Z', '2026-11-09T01:30:00Z'];
const [monday = ''] = mondays;

/** Makes the files that are due; `runTasks` starts them. */
function runAt(moment: string): Promise<void> {
  harness.clock.set(moment);
  return runRecurringSends(harness.app);
}

const messagesOf = async (service: string) =>
  (await harness.app.pool.query('select from notifications where service_id = $1', [service])).rows.length;

async function counted(outcome: string): Promise<number> {
  const text = await metricsOf(harness);
  return Number(new RegExp(`recurring_runs_total{outcome="${outcome}"} (\\d+)`).exec(text)?.[1] ?? 0);
}

describe('the outcome of a date', () => {
  it.each([{ sms_message_limit: 1 }, { sms_annual_limit: 1 }])(
    'is failed over the limit %j, and three of them pause the recurring send',
    async (limit) => {
      const { service, create, read } = await aRecurringTeam(harness, limit);
      const { id } = (await create()).body.data;
      const before = [await counted('failed'), await counted('sent')];
      for (const [index, day] of mondays.entries()) {
        expect((await read(id)).state).toBe('active');
        await runAt(day);
        await harness.runTasks();
        expect(await counted('failed')).toBe((before[0] ?? 0) + index + 1);
      }
      const reason = 'The list has more people than the limits of the service allow';
      const failed = { outcome: 'failed', reason, job_status: 'sending limits exceeded' };
      expect(await read(id)).toMatchObject({
        ...{ state: 'paused', next_at: null, ends_reason: reason },
        runs: [failed, failed, failed],
      });
      expect(await counted('sent')).toBe(before[1]);
      expect(await messagesOf(service)).toBe(0);
    },
  );

  it('is failed if the file is cancelled at its start, and three of them pause the recurring send', async () => {
    const { service, create, read } = await aRecurringTeam(harness);
    const { id } = (await create()).body.data;
    await harness.app.db
      .updateTable('services')
      .set({ permissions: ['email'] })
      .where('id', '=', service)
      .execute();
    for (const day of mondays) {
      await runAt(day);
      await harness.runTasks();
    }
    const reason = 'Service is not allowed to send sms';
    const failed = { outcome: 'failed', reason, job_status: 'cancelled' };
    expect(await read(id)).toMatchObject({ state: 'paused', ends_reason: reason, runs: [failed, failed, failed] });
  });

  it('is not known before the file has started, and then that of the file', async () => {
    const { create, read } = await aRecurringTeam(harness);
    const { id } = (await create()).body.data;
    await runAt(monday);
    expect((await read(id)).runs).toMatchObject([{ outcome: 'started', job_status: 'pending' }]);
    await harness.runTasks();
    expect((await read(id)).runs).toMatchObject([
      { outcome: 'sent', job_status: 'finished all notifications created' },
    ]);
  });

  it('is skipped if a person cancels the file before it starts', async () => {
    const { service, create, read } = await aRecurringTeam(harness);
    const { id } = (await create()).body.data;
    await runAt(monday);
    const [{ job_id }] = (await read(id)).runs;
    expect((await admin('POST', `/service/${service}/job/${job_id}/cancel`)).status).toBe(200);
    await harness.runTasks();
    await runAt('2026-10-26T01:35:00Z');
    expect((await read(id)).runs).toMatchObject([{ outcome: 'skipped', reason: 'The file was cancelled' }]);
    expect(await messagesOf(service)).toBe(0);
  });

  it('is sent if the process was killed after the file had started', async () => {
    const { create, read } = await aRecurringTeam(harness);
    const { id } = (await create()).body.data;
    await runAt(monday);
    await harness.runTasks();
    const forgotten = { outcome: 'started' } as const;
    await harness.app.db.updateTable('recurring_runs').set(forgotten).where('recurring_id', '=', id).execute();
    await runAt('2026-10-26T01:35:00Z');
    expect((await read(id)).runs).toMatchObject([{ outcome: 'sent' }]);
  });
});

describe('a date of a recurring send that was paused', () => {
  /** Five other files are being sent. */
  async function withoutRoom() {
    const team = await aRecurringTeam(harness);
    const others = [];
    for (let count = 0; count < 5; count += 1) others.push((await team.create({ at_time: '01:00' })).body.data.id);
    const { id } = (await team.create()).body.data;
    await runAt(monday);
    const [run] = (await team.read(id)).runs;
    expect(run).toMatchObject({ outcome: 'started', reason: expect.stringContaining('5 files of this service') });
    return { ...team, id };
  }

  it.each(['stays paused', 'is resumed'])(
    'is skipped if it waited for room, and the recurring send %s',
    async (then) => {
      const { service, created_by, url, id, read } = await withoutRoom();
      const skipped = await counted('skipped');
      expect((await admin('POST', `${url}/${id}/pause`)).status).toBe(204);
      if (then === 'is resumed') {
        expect((await admin('POST', `${url}/${id}/resume`, { user_id: created_by })).status).toBe(204);
      }
      await harness.runTasks();
      await runAt('2026-10-26T01:40:00Z');
      await harness.runTasks();
      expect((await read(id)).runs).toMatchObject([{ outcome: 'skipped', reason: 'It was paused', job_status: null }]);
      expect(await counted('skipped')).toBe(skipped + 1);
      expect(await messagesOf(service)).toBe(10);
    },
  );

  it.each(['pause', 'delete'])('has no file if the %s comes while the file is made', async (then) => {
    const { service, url, create } = await aRecurringTeam(harness);
    const { id } = (await create()).body.data;
    let made: Promise<void> | undefined;
    await inTransaction(harness.app.db, async (tx) => {
      await lockJobsOf(tx, service);
      made = runAt(monday);
      await vi.waitFor(async () => {
        const { rows } = await harness.app.pool.query(`select from pg_stat_activity
          where wait_event = 'advisory' and datname = current_database()`);
        expect(rows).toHaveLength(1);
      });
      const done = await (then === 'pause' ? admin('POST', `${url}/${id}/pause`) : admin('DELETE', `${url}/${id}`));
      expect(done.status).toBe(204);
    });
    await made;
    await harness.runTasks();
    const jobs = await harness.app.db.selectFrom('jobs').select('id').where('service_id', '=', service).execute();
    expect(jobs).toEqual([]);
  });

  it('is sent if its file was made before', async () => {
    const { service, url, create, read } = await aRecurringTeam(harness);
    const { id } = (await create()).body.data;
    await runAt(monday);
    expect((await admin('POST', `${url}/${id}/pause`)).status).toBe(204);
    await harness.runTasks();
    expect(await read(id)).toMatchObject({ state: 'paused', runs: [{ outcome: 'sent' }] });
    expect(await messagesOf(service)).toBe(2);
  });
});

describe('400 for an owner', () => {
  it('who may not send', async () => {
    const { created_by, url, create, setRights } = await aRecurringTeam(harness);
    const { id } = (await create()).body.data;
    await setRights('templates');
    const wrong = ['This person may not send messages.'];
    expect((await create()).body.message).toEqual({ created_by: wrong });
    await admin('POST', `${url}/${id}/pause`);
    const resumed = await admin('POST', `${url}/${id}/resume`, { user_id: created_by });
    expect([resumed.status, resumed.body.message]).toEqual([400, { user_id: wrong }]);
    const stranger = await admin('POST', `${url}/${id}/resume`, { user_id: await aUser(harness) });
    expect(stranger.body.message).toEqual({ user_id: ['This person is not a member of the service.'] });
  });
});
