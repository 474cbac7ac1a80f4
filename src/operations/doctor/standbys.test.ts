import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { aStandby } from '../../../test/kit/process/standby.ts';
import { evaluateReplication } from './database.ts';
import { readReplication } from './doctor.sql.ts';

const client = new pg.Client({ connectionString: inject('databaseUrl') });
await client.connect();
afterAll(() => client.end());

const far = { sync_state: 'async', behind_bytes: 5_000_000, behind_s: 2.34 };
const near = { sync_state: 'async', behind_bytes: 100, behind_s: null };
const safe = { sync_state: 'sync', behind_bytes: 0, behind_s: null };
const hidden = { sync_state: null, behind_bytes: null, behind_s: null };

describe('evaluateReplication', () => {
  it('warns where there is no standby', () => {
    expect(evaluateReplication({ standbys: [], synchronous_commit: 'on' }, 1)).toEqual({
      name: 'standbys',
      ok: true,
      is_warning: true,
      description: 'none. If this server fails, you will need a backup.',
    });
  });

  it.each([
    [3, 'on', [], false, 'none, though DATABASE_URL names 3 hosts: see docs/operations/failover.md'],
    [2, 'on', [safe], true, '1 standby, 1 synchronous: a failover loses no accepted message'],
    [
      1,
      'on',
      [safe, near],
      true,
      '2 standbys, 1 synchronous: a failover loses no accepted message; DATABASE_URL names one host, which must lead to the new primary after a failover',
    ],
    [
      3,
      'local',
      [safe, near],
      false,
      '2 standbys, 1 synchronous, but synchronous_commit is local: commits do not wait for the standby; set it to on for the role',
    ],
    [
      3,
      'on',
      [far, near],
      false,
      '2 standbys, none synchronous: a failover loses what a standby has not received, now up to 4.8 MB and 2.3 s: make one synchronous (synchronous_mode of Patroni), see docs/operations/failover.md',
    ],
    [
      1,
      'on',
      [near],
      true,
      '1 standby, none synchronous: a failover loses what a standby has not received, now up to 1 kB and 0.0 s; DATABASE_URL names one host, which must lead to the new primary after a failover',
    ],
    [2, 'on', [hidden], false, '1 standby, synchronous or not: grant pg_read_all_stats to the role'],
  ])('%s hosts, synchronous_commit %s, %j', (hosts, synchronous_commit, standbys, ok, description) => {
    expect(evaluateReplication({ standbys, synchronous_commit }, hosts)).toEqual({ name: 'standbys', ok, description });
  });
});

it('measures how far a standby is behind', async () => {
  const standby = await aStandby(inject('databaseUrl'));
  const ours = async () => (await readReplication(client)).standbys;
  await expect.poll(ours).toContainEqual(expect.objectContaining({ sync_state: 'async' }));
  await client.query(`select pg_logical_emit_message(false, 'doctor', repeat('x', 300000))`);
  const farthest = async () => Math.max(...(await ours()).map(({ behind_bytes }) => behind_bytes ?? 0));
  await expect.poll(farthest).toBeGreaterThan(300_000);
  await standby.close();
  await expect.poll(ours).toEqual([]);
});
