import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { urlsOfHosts } from './database-hosts.ts';
import { cut } from './driver-internals.ts';
import { type Answer, probe, type Server } from './server-probe.ts';

/** How long the other hosts have to answer once one has answered as primary. */
const grace_ms = 250;
/** A search that found nothing is not repeated at once: every waiting request would open connections to each host. */
const pause_ms = 500;

/** The server of a database URL that accepts writes, shared by everything in this process that uses the URL. */
class Primary {
  private readonly servers: readonly Server[];
  private readonly connections = new Map<pg.Client, Server>();
  private known: Server | undefined;
  private doubtful: boolean;
  /** When the known server was started, according to the last search. */
  private startedAt: string | undefined;
  private searching: Promise<Server> | undefined;
  private failure: { error: NoPrimary; at: number } | undefined;

  constructor(url: string) {
    this.servers = urlsOfHosts(url).map((each) => {
      const { host, port } = new pg.Client({ connectionString: each });
      return { url: each, host, port };
    });
    this.known = this.servers[0];
    this.doubtful = this.servers.length > 1;
  }

  /** With one host there is nothing to search: the connection attempt finds out. */
  async find(): Promise<Server> {
    if (this.known && !this.doubtful) return this.known;
    if (this.failure && performance.now() - this.failure.at < pause_ms) throw this.failure.error;
    return this.search();
  }

  add(client: pg.Client, server: Server): void {
    this.connections.set(client, server);
    client.once('end', () => this.connections.delete(client));
  }

  /** After a failed attempt to connect: the next one searches first. */
  doubt(server: Server): void {
    if (server === this.known && this.servers.length > 1) this.doubtful = true;
  }

  /**
   * After a sign that the server is gone: closes every connection to it unless it answers as the primary. What waits
   * for a response then fails at once, not after the timeout of its statement. Returns how many were closed.
   * `startedAt`: of the server that responded last. A proxy or DNS may lead new connections to another one.
   */
  async check(startedAt?: string): Promise<number> {
    const before = [...this.connections.keys()];
    const expected = [startedAt, this.startedAt].filter((each) => each !== undefined);
    await this.search().catch(() => undefined);
    const isAnother = this.startedAt !== undefined && !expected.includes(this.startedAt);
    if (expected.length > 0 && isAnother) for (const client of before) this.close(client);
    return before.filter((client) => !this.connections.has(client)).length;
  }

  private search(): Promise<Server> {
    this.searching ??= this.ask().finally(() => {
      this.searching = undefined;
    });
    return this.searching;
  }

  private async ask(): Promise<Server> {
    const answers = await this.answers();
    const [found] = answers
      .filter((answer) => answer.is === 'primary')
      .sort((one, other) => other.timeline - one.timeline);
    const isKnownAlive = answers.some(({ server, is }) => server === this.known && is === 'refusing');
    const server = found?.server ?? (isKnownAlive ? this.known : undefined);
    this.closeOthers(server);
    if (!server) {
      this.doubtful = this.servers.length > 1;
      const error = new NoPrimary(answers);
      this.failure = { error, at: performance.now() };
      throw error;
    }
    this.failure = undefined;
    this.known = server;
    this.startedAt = found && 'startedAt' in found ? found.startedAt : undefined;
    this.doubtful = this.servers.length > 1 && found === undefined;
    return server;
  }

  /** Of all hosts at the same time. Once one has answered as primary, silent ones are not awaited. */
  private async answers(): Promise<Answer[]> {
    const answers: Answer[] = [];
    const asked = this.servers.map(async (server) => {
      const answer = await probe(server);
      answers.push(answer);
      return answer;
    });
    const primary = Promise.any(asked.map(async (one) => ((await one).is === 'primary' ? one : Promise.reject())));
    await Promise.race([Promise.all(asked), primary.then(() => sleep(grace_ms)).catch(() => Promise.all(asked))]);
    return [...answers];
  }

  private closeOthers(primary: Server | undefined): void {
    for (const [client, server] of this.connections) if (server !== primary) this.close(client);
  }

  private close(client: pg.Client): void {
    this.connections.delete(client);
    cut(client);
  }
}

const primaries = new Map<string, Primary>();

export function primaryOf(url: string): Primary {
  const known = primaries.get(url);
  if (known) return known;
  const primary = new Primary(url);
  primaries.set(url, primary);
  return primary;
}

/** 08001, as libpq: no connection could be established. */
class NoPrimary extends Error {
  readonly code = '08001';

  constructor(answers: readonly Answer[]) {
    const told = answers.map((answer) => `${answer.server.host}:${answer.server.port} ${describe(answer)}`);
    super(`no server accepts writes: ${told.join(', ')}`);
  }
}

function describe(answer: Answer): string {
  if (answer.is === 'standby') return 'is a standby';
  const { error } = answer as { error: unknown };
  return `does not answer (${error instanceof Error ? error.message || (error as { code?: string }).code : error})`;
}
