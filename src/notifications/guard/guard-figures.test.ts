import { beforeEach, describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { permissionsOf } from '../../console/access/may.ts';
import { addUpChanges } from '../rollups/rollups.ts';
import { evaluateServices } from './guard.task.ts';

const harness = useHarness({ now: '2026-11-17T12:30:00Z', config: { guard: { mode: 'on' } } });
beforeEach(() => harness.clock.set('2026-11-17T12:30:00Z'));

async function aManagedService() {
  const manager = await aUser(harness);
  const service = await aService(harness, { created_by_id: manager });
  const permissions = permissionsOf(['manage']);
  await harness.app.db.updateTable('service_members').set({ permissions }).where('service_id', '=', service).execute();
  return { service, manager };
}

/** What the recorder of results would have appended. */
async function append(service_id: string, counts: { sent: number; hard_bounces?: number; complaints?: number }) {
  const hour = `${harness.clock.now().toISOString().slice(0, 13)}:00:00Z`;
  const row = { service_id, hour, hard_bounces: 0, soft_bounces: 0, complaints: 0, ...counts };
  await harness.app.db.insertInto('email_outcome_changes').values(row).execute();
}

const guardOf = async (service: string) => (await harness.admin('GET', `/service/${service}/guard`)).body.data;

async function stateOf(service: string): Promise<string> {
  await evaluateServices(harness.app);
  return (await guardOf(service)).state;
}

async function lift({ service, manager }: { service: string; manager: string }) {
  const lifted = { reason: 'The list is clean', user_id: manager };
  expect((await harness.admin('POST', `/service/${service}/guard/lift`, lifted)).status).toBe(204);
}

describe('the guard', () => {
  it('pauses by outcomes that are not added up, together with those that are', async () => {
    const { service } = await aManagedService();
    await append(service, { sent: 900, hard_bounces: 60 });
    await addUpChanges(harness.app.db);
    expect(await stateOf(service)).toBe('ok');
    await append(service, { sent: 100, hard_bounces: 20 });
    await append(service, { sent: 0, hard_bounces: 20 });
    expect(await guardOf(service)).toMatchObject({ bounce_rate: '10.00', sent_in_24_hours: 1_000 });
    expect(await stateOf(service)).toBe('paused');
  });

  it.each(['before the lift', 'after the lift'])(
    'counts the rest of the hour after a lift, added up %s',
    async (when) => {
      const team = await aManagedService();
      const { service } = team;
      await append(service, { sent: 2_000, hard_bounces: 400 });
      expect(await stateOf(service)).toBe('paused');
      if (when === 'before the lift') await addUpChanges(harness.app.db);
      harness.clock.set('2026-11-17T12:40:00Z');
      await lift(team);
      await addUpChanges(harness.app.db);
      expect(await stateOf(service)).toBe('ok');
      await append(service, { sent: 999, hard_bounces: 999 });
      expect(await stateOf(service)).toBe('warned');
      expect(await guardOf(service)).toMatchObject({ bounce_rate: '100.00', sent_in_24_hours: 999 });
      await append(service, { sent: 1 });
      expect(await stateOf(service)).toBe('paused');
    },
  );

  it('counts complaints of the rest of that hour, and adds the hours after it', async () => {
    const team = await aManagedService();
    const { service } = team;
    await append(service, { sent: 2_000, complaints: 20 });
    expect(await stateOf(service)).toBe('paused');
    await lift(team);
    await append(service, { sent: 600, complaints: 1 });
    harness.clock.set('2026-11-18T13:30:00Z');
    await append(service, { sent: 400, complaints: 1 });
    expect(await stateOf(service)).toBe('ok');
    await append(service, { sent: 0, complaints: 1 });
    expect(await guardOf(service)).toMatchObject({ complaint_rate: '0.300', sent_in_7_days: 1_000 });
    expect(await stateOf(service)).toBe('paused');
  });

  it('shows no rate above 100% when bounces of before the lift arrive late', async () => {
    const team = await aManagedService();
    await append(team.service, { sent: 2_000, hard_bounces: 400 });
    expect(await stateOf(team.service)).toBe('paused');
    await lift(team);
    await append(team.service, { sent: 10, hard_bounces: 50 });
    expect(await stateOf(team.service)).toBe('ok');
    expect(await guardOf(team.service)).toMatchObject({ bounce_rate: '100.00', sent_in_24_hours: 10 });
  });
});
