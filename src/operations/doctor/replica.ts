import type pg from 'pg';
import { type Clock, earlier, timestamp } from '../../platform/clock.ts';
import { sessionSettings } from '../../platform/db/database.ts';
import { DatabaseClient } from '../../platform/db/database-client.ts';
import { compareServers } from '../../platform/db/servers/replication.ts';
import { maxBehind_ms, type Standby } from '../../platform/db/servers/standby.ts';
import type { DatabaseSettings } from '../../platform/settings.ts';
import { type Finding, finding } from './finding.ts';

const name = 'replica';
const uses = 'exports, reports, searches and backups read from it';
const todo = 'they read from the primary meanwhile; check DATABASE_REPLICA_URL, see docs/operations/scaling.md';

/** Whether reads can use the standby of DATABASE_REPLICA_URL. */
export async function checkReplica({ replicaUrl }: DatabaseSettings, primary: pg.ClientBase): Promise<Finding[]> {
  if (replicaUrl === undefined) return [];
  const standby = new DatabaseClient({
    connectionString: replicaUrl,
    role: 'standby',
    connectionTimeoutMillis: 5_000,
    ...sessionSettings,
  });
  try {
    await standby.connect();
    const { problem, behind_ms } = await compareServers(primary, standby, maxBehind_ms);
    return [judge(`${standby.host}:${standby.port}`, problem, behind_ms)];
  } catch (error) {
    return [judge(undefined, `cannot be asked (${error instanceof Error ? error.message : error})`, 0)];
  } finally {
    await standby.end().catch(() => undefined);
  }
}

/** The same in a process that runs, from its own checks. */
export function judgeStandby(standby: Standby | undefined, clock: Clock): Finding[] {
  if (!standby) return [];
  const { server, problem, behind_ms, since_ms } = standby.state;
  const found = judge(server, problem, behind_ms ?? 0);
  const ago_ms = performance.now() - since_ms;
  return [found.ok ? found : { ...found, since: timestamp(earlier(clock.now(), ago_ms)) }];
}

function judge(server: string | undefined, problem: string | undefined, behind_ms: number): Finding {
  const subject = server ?? 'the standby';
  const late = `is ${(behind_ms / 1_000).toFixed(1)} s behind the primary`;
  const isUsed = problem === undefined;
  return {
    ...finding(name, isUsed, isUsed ? `${subject} ${late}: ${uses}` : `${subject} ${problem}`, todo),
    is_minor: true,
  };
}
