import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** A pool or a single connection. */
type Queryable = Pick<pg.ClientBase, 'query'>;

/**
 * The WAL position up to which the primary has committed. With synchronous_commit off, a commit may be acknowledged before it is flushed,
 * so that uses the insert position.
 */
const committed = `case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
  else pg_current_wal_flush_lsn() end::text`;

/**
 * Each promotion begins a new timeline. A standby may have replayed more of the old timeline than the promoted server, but its position
 * says nothing about the new one. The received timeline is visible only to pg_read_all_stats; other roles see that of the last restart
 * point.
 */
const timelineOfStandby =
  'coalesce((select received_tli from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint()))';
const timelineOfPrimary = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int";

/** How far the write-ahead log of a server goes. */
export interface Position {
  position: string;
  timeline: number;
}

/** Properties of one server, for comparison with another. */
interface Facts extends Position {
  in_recovery: boolean;
  /** Identifies the cluster and the database in it; equal on a standby. */
  identity: string;
  zone: string;
  style: string;
}

export async function readFacts(server: Queryable): Promise<Facts> {
  const { rows } = await server.query<Facts>(`
    select pg_is_in_recovery() as in_recovery,
      case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn(), '0/0')::text else ${committed} end as position,
      case when pg_is_in_recovery() then ${timelineOfStandby} else ${timelineOfPrimary} end as timeline,
      (select system_identifier from pg_control_system())::text || '/' ||
        (select oid from pg_database where datname = current_database())::text as identity,
      current_setting('TimeZone') as zone, current_setting('DateStyle') as style`);
  const [facts] = rows;
  if (!facts) throw new Error('the server returned no rows');
  return facts;
}

/** Throws on a standby. */
export async function readPosition(primary: Queryable): Promise<Position> {
  const { rows } = await primary.query<Position>(`select ${committed} as position, ${timelineOfPrimary} as timeline`);
  const [position] = rows;
  if (!position) throw new Error('the server returned no rows');
  return position;
}

/** Returns how far a standby has replayed the log. */
export async function readReplayed(standby: Queryable): Promise<Position> {
  const { rows } = await standby.query<Position>(
    `select coalesce(pg_last_wal_replay_lsn(), '0/0')::text as position, ${timelineOfStandby} as timeline`,
  );
  return rows[0] ?? { position: '0/0', timeline: 0 };
}

/** Whether the server is a standby that has replayed the primary's log up to the position. */
export async function hasReplayed(server: Queryable, { position, timeline }: Position): Promise<boolean> {
  const { rows } = await server.query<{ ready: boolean | null }>(
    `select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn and ${timelineOfStandby} = $2 as ready`,
    [position, timeline],
  );
  return rows[0]?.ready === true;
}

/** Returns why the standby cannot serve reads, other than being late. Completes "it ...". */
export function problemOfStandby(primary: Facts, standby: Facts): string | undefined {
  if (primary.in_recovery) return 'cannot be compared with the primary: DATABASE_URL leads to a standby';
  if (!standby.in_recovery) return 'is not a standby';
  if (standby.identity !== primary.identity) return 'is a standby of another cluster, or another database';
  if (standby.timeline !== primary.timeline) {
    return `follows timeline ${standby.timeline}, and the primary writes ${primary.timeline}`;
  }
  if (standby.zone !== 'UTC' || !standby.style.startsWith('ISO')) {
    return `has sessions with the time zone ${standby.zone} and the date style ${standby.style}, which a pooler must not change`;
  }
  return undefined;
}

interface Comparison {
  /** Completes "it ...". */
  problem?: string | undefined;
  /** How long the standby took to replay up to the primary's position. */
  behind_ms: number;
}

/** Waits until the standby has replayed everything that the primary has now, at most `patience_ms`. */
export async function compareServers(primary: Queryable, standby: Queryable, patience_ms: number): Promise<Comparison> {
  const [facts, others] = [await readFacts(primary), await readFacts(standby)];
  const problem = problemOfStandby(facts, others);
  if (problem !== undefined) return { problem, behind_ms: 0 };
  const began = performance.now();
  for (;;) {
    const isReady = await hasReplayed(standby, facts);
    const behind_ms = performance.now() - began;
    if (isReady) return { behind_ms };
    if (behind_ms >= patience_ms) return { problem: tooLate(patience_ms), behind_ms };
    await sleep(20);
  }
}

export function tooLate(limit_ms: number): string {
  return `is more than ${limit_ms / 1_000} s behind the primary`;
}

/** Converts `16/B374D848` to a number of bytes. */
export function positionOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
