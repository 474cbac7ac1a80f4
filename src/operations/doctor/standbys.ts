import type pg from 'pg';
import { urlsOfHosts } from '../../platform/db/servers/database-hosts.ts';
import type { DatabaseSettings } from '../../platform/settings.ts';
import { readReplication } from './doctor.sql.ts';
import { type Finding, finding } from './finding.ts';

/** Values of synchronous_commit with which a commit waits for a synchronous standby. */
const waiting = ['on', 'remote_write', 'remote_apply'];

const guide = 'see docs/operations/failover.md';

/** Whether a standby that takes over has every message that was accepted. */
export async function checkStandbys(config: { database: DatabaseSettings }, client: pg.ClientBase): Promise<Finding> {
  const replication = await readReplication(client);
  return judgeReplication(replication, urlsOfHosts(config.database.url ?? '').length);
}

export function judgeReplication(
  { standbys, synchronous_commit }: Awaited<ReturnType<typeof readReplication>>,
  hosts: number,
): Finding {
  const name = 'standbys';
  if (standbys.length === 0) {
    const found = 'none: without this server there is only the backup';
    return finding(name, hosts === 1, hosts === 1 ? found : `none, though DATABASE_URL names ${hosts} hosts`, guide);
  }
  const count = standbys.length === 1 ? '1 standby' : `${standbys.length} standbys`;
  const route = hosts > 1 ? '' : '; DATABASE_URL names one host, which must lead to the new primary after a failover';
  // Only a role with pg_read_all_stats sees more than that they exist.
  if (standbys.every(({ sync_state }) => sync_state === null)) {
    return finding(name, hosts === 1, `${count}, synchronous or not${route}`, 'grant pg_read_all_stats to the role');
  }
  const synchronous = standbys.filter(({ sync_state }) => sync_state === 'sync' || sync_state === 'quorum');
  if (synchronous.length === 0) {
    const behind = Math.max(...standbys.map(({ behind_bytes }) => behind_bytes ?? 0));
    const late = Math.max(...standbys.map(({ behind_s }) => behind_s ?? 0));
    const loss = `a failover loses what a standby has not received, now up to ${bytes(behind)} and ${late.toFixed(1)} s`;
    const fix = `make one synchronous (synchronous_mode of Patroni), ${guide}`;
    return finding(name, hosts === 1, `${count}, none synchronous: ${loss}${route}`, fix);
  }
  const found = `${count}, ${synchronous.length} synchronous: a failover loses no accepted message${route}`;
  if (waiting.includes(synchronous_commit)) return finding(name, true, found);
  const ignored = `${count}, ${synchronous.length} synchronous, but synchronous_commit is ${synchronous_commit}`;
  return finding(name, false, ignored, 'commits do not wait for the standby; set it to on for the role');
}

function bytes(count: number): string {
  return count < 1024 ** 2 ? `${Math.ceil(count / 1024)} kB` : `${(count / 1024 ** 2).toFixed(1)} MB`;
}
