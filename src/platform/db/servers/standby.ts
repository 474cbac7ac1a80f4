import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Db } from '../database.ts';
import { type Database, openDatabase, openPool } from '../pool.ts';
import { isServerGone } from '../server-gone.ts';
import type { ServerRole } from './database-hosts.ts';
import { type Position, positionOf, problemOfStandby, readFacts, readPosition, tooLate } from './replication.ts';
import { serverOf } from './server-search.ts';
import { StandbyRead } from './standby-read.ts';

interface StandbyOptions {
  url: string;
  poolSize: number;
  statementTimeout_ms: number;
  primaryUrl: string;
  /** Used when the standby cannot serve a read. */
  primary: Database;
  log: Log;
  metrics: Metrics;
}

/**
 * `page`: a person waits, and the primary would respond at once. `file`: downloads, reports as files and backups, which take seconds anyway
 * and would be expensive on the primary.
 */
type ReadKind = 'page' | 'file';

/** How long a read waits until the standby has caught up with the primary. */
const maxWait_ms: Record<ReadKind, number> = { page: 1_000, file: 5_000 };
/** If the standby is further behind, it serves no reads. */
export const maxBehind_ms = Math.max(...Object.values(maxWait_ms));

const checkedEvery_ms = 1_000;
const answerWithin_ms = 2_000;
/** Searching for a host that is less far behind asks all of them. */
const searchEvery_ms = 5_000;

interface StandbyState {
  /** Host and port, if known. */
  server: string | undefined;
  /** Why it is not used. Completes "it ...". */
  problem: string | undefined;
  behind_ms: number | undefined;
  /** The last time at which it became used or unused, from `performance.now()`. */
  since_ms: number;
}

/**
 * Serves reads that need not use the primary. Each read sees everything that any process had committed when it began: it asks the primary
 * for its WAL position, and waits until the standby has replayed it. So people always see their own changes. While the standby is late,
 * gone, or not a standby, the primary serves the reads.
 */
export class Standby {
  readonly pool: pg.Pool;
  state: StandbyState = { server: undefined, problem: 'has not been checked yet', behind_ms: undefined, since_ms: 0 };
  private readonly options: StandbyOptions;
  private readonly database: Database;
  /** Separate pools, so that a server with many readers does not look dead. */
  private readonly checks: Record<ServerRole, pg.Pool>;
  /** Positions of the primary that the standby has not replayed, and when they were first seen; oldest first. */
  private missing: { position: bigint; at: number }[] = [];
  private replayed = 0n;
  private refreshing: ReturnType<typeof readFacts> | undefined;
  private searchedAt = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly reads;
  private readonly repeated;

  constructor(options: StandbyOptions) {
    const { url, primaryUrl, poolSize, statementTimeout_ms, log, metrics } = options;
    this.options = options;
    this.database = openDatabase({ url, role: 'standby', poolSize, statementTimeout_ms, log });
    this.pool = this.database.pool;
    const checkOptions = { poolSize: 1, log, statementTimeout_ms: answerWithin_ms };
    this.checks = {
      primary: openPool({ url: primaryUrl, ...checkOptions }),
      standby: openPool({ url, role: 'standby', ...checkOptions }),
    };
    this.checks.standby.on('connect', ({ host, port }: pg.PoolClient & { host?: string; port?: number }) => {
      this.state = { ...this.state, server: `${host}:${port}` };
    });
    this.reads = metrics.counter('db_standby_reads_total', 'Reads that may use the standby, by what answered', [
      'server',
    ]);
    this.repeated = metrics.counter('db_standby_repeated_reads_total', 'Reads that failed on the standby', []);
    metrics.gauges('db_standby_used', 'Whether reads use the standby', [], async () => [
      { labels: {}, value: this.state.problem === undefined ? 1 : 0 },
    ]);
    metrics.gauges('db_standby_lag_seconds', 'How far the standby is behind the primary', [], async () =>
      this.state.behind_ms === undefined ? [] : [{ labels: {}, value: this.state.behind_ms / 1_000 }],
    );
  }

  /** Does not wait for the standby: a process can start without it. */
  start(): void {
    const again = async () => {
      await this.check();
      if (!this.closed) this.timer = setTimeout(again, checkedEvery_ms).unref();
    };
    void again();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await Promise.all([this.checks.primary.end(), this.checks.standby.end(), this.database.close()]);
  }

  /** Returns undefined if the primary must serve the read. */
  async openRead(kind: ReadKind): Promise<StandbyRead | undefined> {
    const position = await this.waitForPosition(maxWait_ms[kind]);
    this.reads.inc({ server: position === undefined ? 'primary' : 'standby' });
    if (position === undefined) return undefined;
    return new StandbyRead({
      standby: this.pool,
      primary: this.options.primary.pool,
      position,
      onFailure: (error) => this.recordFailure(error),
    });
  }

  /** Returns the position of the primary once the standby has replayed it. */
  private async waitForPosition(wait_ms: number): Promise<Position | undefined> {
    const { problem, behind_ms = 0 } = this.state;
    if (problem !== undefined || behind_ms > wait_ms) return undefined;
    // If the primary cannot report its position, it serves the read or reports what is wrong.
    const wanted = await readPosition(this.checks.primary).catch(() => undefined);
    if (!wanted) return undefined;
    const isReady = await Promise.race([
      this.untilReplayed(positionOf(wanted.position), performance.now() + wait_ms),
      sleep(wait_ms, false, { ref: false }),
    ]);
    return isReady ? wanted : undefined;
  }

  private async untilReplayed(position: bigint, deadline: number): Promise<boolean> {
    for (let pause_ms = 2; ; pause_ms = Math.min(pause_ms * 2, 100)) {
      if (this.replayed >= position) return true;
      try {
        await this.refresh();
      } catch {
        // The next check reports the reason.
        return false;
      }
      if (this.replayed >= position) return true;
      if (performance.now() + pause_ms > deadline) return false;
      await sleep(pause_ms, undefined, { ref: false });
    }
  }

  /** Concurrent readers share one statement. */
  private refresh(): ReturnType<typeof readFacts> {
    this.refreshing ??= readFacts(this.checks.standby)
      .then((facts) => {
        this.replayed = positionOf(facts.position);
        return facts;
      })
      .finally(() => {
        this.refreshing = undefined;
      });
    return this.refreshing;
  }

  private async check(): Promise<void> {
    let primary: Awaited<ReturnType<typeof readFacts>>;
    try {
      primary = await readFacts(this.checks.primary);
    } catch (error) {
      this.setState({ problem: `cannot be compared with the primary (${messageOf(error)})`, behind_ms: undefined });
      return;
    }
    const sampledAt = performance.now();
    const server = serverOf(this.options.url, 'standby');
    try {
      const standby = await inTime(this.refresh());
      const behind_ms = this.measure(positionOf(primary.position), sampledAt);
      const late = behind_ms > maxBehind_ms ? tooLate(maxBehind_ms) : undefined;
      this.setState({ problem: problemOfStandby(primary, standby) ?? late, behind_ms });
    } catch (error) {
      this.setState({ problem: `cannot be queried (${messageOf(error)})`, behind_ms: undefined });
      this.replayed = 0n;
      // Statements that wait for a hanging server fail now, and are retried on the primary.
      server.closeAll();
    }
    if (this.state.problem === undefined || performance.now() - this.searchedAt < searchEvery_ms) return;
    this.searchedAt = performance.now();
    await server.switchToBest();
  }

  /**
   * Returns the replication lag, accurate to a second. Uses times of this process, because the clocks of the servers may differ, and
   * because a standby that has everything is not late while nothing is written.
   */
  private measure(position: bigint, at: number): number {
    const { replayed } = this;
    // After a failover that lost commits, the log of the primary may end before a position seen earlier.
    this.missing = this.missing.filter((one) => one.position > replayed && one.position <= position);
    if (position > (this.missing.at(-1)?.position ?? replayed)) this.missing.push({ position, at });
    if (this.missing.length > 1_000) this.missing = this.missing.filter((_, index) => index % 2 === 0);
    const [oldest] = this.missing;
    return oldest ? performance.now() - oldest.at : 0;
  }

  private setState({ problem, behind_ms }: Pick<StandbyState, 'problem' | 'behind_ms'>): void {
    const before = this.state;
    const { server } = before;
    if (this.closed) return;
    const isSame = (before.problem === undefined) === (problem === undefined);
    this.state = { server, problem, behind_ms, since_ms: isSame ? before.since_ms : performance.now() };
    if (before.problem === problem) return;
    if (problem === undefined) {
      this.options.log.info({ event: 'standby.used', server }, 'Exports, reports and searches read from the standby');
    } else {
      const message = 'The standby is not used; exports, reports and searches read from the primary';
      this.options.log.warn({ event: 'standby.unused', server, problem: `it ${problem}` }, message);
    }
  }

  private recordFailure(error: unknown): void {
    this.repeated.inc();
    this.options.log.warn(
      { event: 'standby.read_failed', server: this.state.server, reason: reasonOf(error) },
      'A read failed on the standby and was repeated on the primary',
    );
    if (isServerGone(error)) void this.check();
  }
}

/** Runs the read on the standby if it has caught up with the primary, otherwise on the primary. */
export async function fromStandby<App extends { db: Db; standby: Standby | undefined }, T>(
  app: App,
  kind: ReadKind,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const read = await app.standby?.openRead(kind);
  if (!read) return work(app);
  try {
    return await work({ ...app, db: read.db });
  } catch (error) {
    if (!read.hasFailed) throw error;
    return work(app);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
}

/** Omits the message if it may quote values, which may be personal data. */
function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return code === undefined || /^(40|57|08|25|53)/.test(String(code)) ? messageOf(error) : String(code);
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = sleep(answerWithin_ms, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${answerWithin_ms / 1_000} s`);
  });
  return Promise.race([answer, late]);
}
