import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** What can run a statement: a pool, or one connection. */
type Queryable = Pick<pg.ClientBase, 'query'>;

/**
 * How far the write-ahead log goes: what a primary has committed, or what a standby has replayed. A commit that waits for the disk has
 * reached it when it is answered; with synchronous_commit off it may not have.
 */
const position = `case
  when pg_is_in_recovery() then pg_last_wal_replay_lsn()
  when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
  else pg_current_wal_flush_lsn() end::text`;

/** Of one server, for comparison with another. */
interface Facts {
  in_recovery: boolean;
  position: string | null;
  /** The cluster, and the database in it: a standby has the same. */
  identity: string;
  zone: string;
  style: string;
}

export async function readFacts(server: Queryable): Promise<Facts> {
  const { rows } = await server.query<Facts>(`
    select pg_is_in_recovery() as in_recovery, ${position} as position,
      (select system_identifier from pg_control_system())::text || '/' ||
        (select oid from pg_database where datname = current_database())::text as identity,
      current_setting('TimeZone') as zone, current_setting('DateStyle') as style`);
  const [facts] = rows;
  if (!facts) throw new Error('the server returned no rows');
  return facts;
}

export async function readPosition(server: Queryable): Promise<string> {
  const { rows } = await server.query<{ position: string | null }>(`select ${position} as position`);
  return rows[0]?.position ?? '0/0';
}

/** Whether the server is a standby now that has replayed the log up to the position. */
export async function hasReplayed(server: Queryable, until: string): Promise<boolean> {
  const { rows } = await server.query<{ ready: boolean | null }>(
    'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as ready',
    [until],
  );
  return rows[0]?.ready === true;
}

/** Why the server cannot be read from instead of the primary, apart from being late. Completes "it ...". */
export function problemOfStandby(primary: Facts, standby: Facts): string | undefined {
  if (!standby.in_recovery) return 'is not a standby';
  if (standby.identity !== primary.identity) return 'is a standby of another cluster, or another database';
  if (standby.zone !== 'UTC' || !standby.style.startsWith('ISO')) {
    return `has sessions with the time zone ${standby.zone} and the date style ${standby.style}, which a pooler must not change`;
  }
  return undefined;
}

interface Comparison {
  /** Completes "it ...". */
  problem?: string | undefined;
  /** How long it took to replay what the primary had. */
  behind_ms: number;
}

/** Waits until the standby has everything that the primary has now, for as long as the patience lasts. */
export async function compareServers(primary: Queryable, standby: Queryable, patience_ms: number): Promise<Comparison> {
  const [facts, others] = [await readFacts(primary), await readFacts(standby)];
  const problem = problemOfStandby(facts, others);
  if (problem !== undefined) return { problem, behind_ms: 0 };
  const wanted = facts.position ?? '0/0';
  const began = performance.now();
  for (;;) {
    const isReady = await hasReplayed(standby, wanted);
    const behind_ms = performance.now() - began;
    if (isReady) return { behind_ms };
    if (behind_ms >= patience_ms) return { problem: tooLate(patience_ms), behind_ms };
    await sleep(20);
  }
}

export function tooLate(limit_ms: number): string {
  return `is more than ${limit_ms / 1_000} s behind the primary`;
}

/** `16/B374D848` as a number of bytes. */
export function positionOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
