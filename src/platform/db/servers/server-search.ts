import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cut } from '../driver-internals.ts';
import { isServerGone } from '../server-gone.ts';
import { type ServerRole, urlsOfHosts } from './database-hosts.ts';
import { positionOf, readReplayed } from './replication.ts';

/** How long the other hosts have to answer once a host with the role has answered. */
const grace_ms = 250;
/** How long a failed search is not repeated. Otherwise, every waiting request would open connections to each host. */
const pause_ms = 500;

/** Finds the server of a database URL that has the role. Everything in this process that uses the URL for that role shares one instance. */
class ServerSearch {
  private readonly role: ServerRole;
  private readonly servers: readonly Server[];
  private readonly connections = new Map<pg.Client, Server>();
  private known: Server | undefined;
  private isStale: boolean;
  /** Start time of the known server, according to the last search. */
  private startedAt: string | undefined;
  private searching: Promise<Server> | undefined;
  private failure: { error: NoServerFound; at: number } | undefined;

  constructor(url: string, role: ServerRole) {
    this.role = role;
    this.servers = urlsOfHosts(url, role).map((each) => {
      const { host, port } = new pg.Client({ connectionString: each });
      return { url: each, host, port };
    });
    this.known = this.servers[0];
    this.isStale = this.servers.length > 1;
  }

  /** With a single host there is nothing to search: connecting shows whether it works. */
  async find(): Promise<Server> {
    if (this.known && !this.isStale) return this.known;
    if (this.failure && performance.now() - this.failure.at < pause_ms) throw this.failure.error;
    return this.search();
  }

  add(client: pg.Client, server: Server): void {
    this.connections.set(client, server);
    client.once('end', () => this.connections.delete(client));
  }

  /** Called after a failed attempt to connect: the next one searches first. */
  invalidate(server: Server): void {
    if (server === this.known && this.servers.length > 1) this.isStale = true;
  }

  /**
   * Called when the server may be gone. Searches, and closes all connections to the server unless it still answers in its role, so that
   * pending statements fail at once instead of after their timeout. Returns the number of closed connections. `startedAt` is the start time
   * of the server that responded last: behind a proxy or DNS name, new connections may reach another server.
   */
  async check(startedAt?: string): Promise<number> {
    const before = [...this.connections.keys()];
    const expected = [startedAt, this.startedAt].filter((each) => each !== undefined);
    await this.search().catch(() => undefined);
    const isAnother = this.startedAt !== undefined && !expected.includes(this.startedAt);
    if (expected.length > 0 && isAnother) for (const client of before) this.close(client);
    return before.filter((client) => !this.connections.has(client)).length;
  }

  /** Closes every connection at once, for a server that is optional. The next connection searches first. */
  closeAll(): void {
    if (this.known) this.invalidate(this.known);
    for (const client of this.connections.keys()) this.close(client);
  }

  /** Switches to a better host, if there are several. */
  async switchToBest(): Promise<void> {
    if (this.servers.length > 1) await this.search().catch(() => undefined);
  }

  private search(): Promise<Server> {
    this.searching ??= this.searchOnce().finally(() => {
      this.searching = undefined;
    });
    return this.searching;
  }

  private async searchOnce(): Promise<Server> {
    const answers = await this.probeAll();
    const found = this.role === 'primary' ? newestPrimary(answers) : newestStandby(answers);
    const isKnownAlive = answers.some(({ server, is }) => server === this.known && is === 'refusing');
    const server = found?.server ?? (isKnownAlive ? this.known : undefined);
    this.closeOthers(server);
    if (!server) {
      this.isStale = this.servers.length > 1;
      const error = new NoServerFound(this.role, answers);
      this.failure = { error, at: performance.now() };
      throw error;
    }
    this.failure = undefined;
    this.known = server;
    this.startedAt = found?.startedAt;
    this.isStale = this.servers.length > 1 && found === undefined;
    return server;
  }

  /** Asks all hosts concurrently. Once a host with the role has answered, it does not wait for silent ones. */
  private async probeAll(): Promise<Answer[]> {
    const answers: Answer[] = [];
    const probes = this.servers.map(async (server) => {
      const answer = await probe(server);
      answers.push(answer);
      return answer;
    });
    const firstWithRole = Promise.any(
      probes.map(async (one) => ((await one).is === this.role ? one : Promise.reject())),
    );
    await Promise.race([
      Promise.all(probes),
      firstWithRole.then(() => sleep(grace_ms)).catch(() => Promise.all(probes)),
    ]);
    return [...answers];
  }

  private closeOthers(chosen: Server | undefined): void {
    for (const [client, server] of this.connections) if (server !== chosen) this.close(client);
  }

  private close(client: pg.Client): void {
    this.connections.delete(client);
    cut(client);
  }
}

function newestPrimary(answers: readonly Answer[]) {
  const found = answers.filter((answer) => answer.is === 'primary');
  return found.sort((one, other) => other.timeline - one.timeline)[0];
}

/** Returns the standby with the most changes, on the newest timeline: see `replication.ts`. */
function newestStandby(answers: readonly Answer[]) {
  const found = answers.filter((answer) => answer.is === 'standby').filter(({ replayed }) => replayed !== undefined);
  const compare = (one: (typeof found)[number], other: (typeof found)[number]) =>
    other.timeline - one.timeline || Number((other.replayed ?? 0n) - (one.replayed ?? 0n));
  return found.sort(compare)[0];
}

const known: Record<ServerRole, Map<string, ServerSearch>> = { primary: new Map(), standby: new Map() };

export function serverOf(url: string, role: ServerRole): ServerSearch {
  const server = known[role].get(url) ?? new ServerSearch(url, role);
  known[role].set(url, server);
  return server;
}

export function primaryOf(url: string): ServerSearch {
  return serverOf(url, 'primary');
}

const missing: Record<ServerRole, string> = { primary: 'no server accepts writes', standby: 'no server is a standby' };

/** SQLSTATE 08001, as in libpq: no connection could be established. */
class NoServerFound extends Error {
  readonly code = '08001';

  constructor(role: ServerRole, answers: readonly Answer[]) {
    const details = answers.map((answer) => `${answer.server.host}:${answer.server.port} ${describe(answer)}`);
    super(`${missing[role]}: ${details.join(', ')}`);
  }
}

function describe(answer: Answer): string {
  if (answer.is === 'primary') return 'is the primary';
  if (answer.is === 'standby') return answer.replayed === undefined ? 'accepts no writes' : 'is a standby';
  const { error } = answer;
  return `does not answer (${error instanceof Error ? error.message || (error as { code?: string }).code : error})`;
}

/** A host of a database URL. */
interface Server {
  url: string;
  host: string;
  port: number;
}

/** `refusing`: the server is alive, but has no free connection or does not know the user. */
type Answer = { server: Server; timeline: number } & (
  | { is: 'primary'; startedAt: string }
  // A server that rejects writes and is not in recovery has not replayed anything.
  | { is: 'standby'; startedAt: string; replayed: bigint | undefined }
  | { is: 'refusing' | 'gone'; error: unknown }
);

/** Tells servers behind the same address apart. */
export const startOfServer = 'extract(epoch from pg_postmaster_start_time())::text';

/** Longer than a working server takes to accept a connection, and short enough to notice a dead one. */
const answerWithin_ms = 2_000;

/** Asks a server for its role, on a separate connection. */
async function probe(server: Server): Promise<Answer> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => undefined);
  const tooLate = setTimeout(() => cut(client), answerWithin_ms);
  try {
    await client.connect();
    const { rows } = await client.query<{ read_only: string; started_at: string; in_recovery: boolean }>(
      `select current_setting('transaction_read_only') as read_only, ${startOfServer} as started_at,
        pg_is_in_recovery() as in_recovery`,
    );
    const [found = { read_only: '', started_at: '', in_recovery: false }] = rows;
    const startedAt = found.started_at;
    if (found.read_only === 'off') return { server, is: 'primary', startedAt, timeline: await timelineOf(client) };
    if (!found.in_recovery) return { server, is: 'standby', startedAt, replayed: undefined, timeline: 0 };
    const { position, timeline } = await readReplayed(client);
    return { server, is: 'standby', startedAt, replayed: positionOf(position), timeline };
  } catch (error) {
    return { server, is: isServerGone(error) ? 'gone' : 'refusing', error, timeline: 0 };
  } finally {
    clearTimeout(tooLate);
    cut(client);
  }
}

/**
 * Each promotion begins a new timeline. A former primary that was frozen and continues has an older one, until it is stopped. Returns 0 for
 * a managed database that does not expose it.
 */
async function timelineOf(client: pg.Client): Promise<number> {
  try {
    const { rows } = await client.query<{ file: string }>('select pg_walfile_name(pg_current_wal_lsn()) as file');
    return Number.parseInt(rows[0]?.file.slice(0, 8) ?? '', 16);
  } catch (error) {
    if (error instanceof pg.DatabaseError) return 0;
    throw error;
  }
}
