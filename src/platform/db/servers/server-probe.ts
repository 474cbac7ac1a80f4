import pg from 'pg';
import { cut } from '../driver-internals.ts';
import { isServerGone } from '../errors.ts';
import { positionOf, readReplayed } from './replication.ts';

/** A host of a database URL. */
export interface Server {
  url: string;
  host: string;
  port: number;
}

/** `refusing`: it is alive, but has no connection to spare, or does not know the user. */
export type Answer = { server: Server; timeline: number } & (
  | { is: 'primary'; startedAt: string }
  // A server that accepts no writes and is not in recovery has replayed nothing.
  | { is: 'standby'; startedAt: string; replayed: bigint | undefined }
  | { is: 'refusing' | 'gone'; error: unknown }
);

/** Tells servers behind the same address apart. */
export const startOfServer = 'extract(epoch from pg_postmaster_start_time())::text';

/** Longer than a working server takes to accept a connection, and short enough to notice a dead one. */
const answerWithin_ms = 2_000;

/** Asks a server what it is, on a connection of its own. */
export async function probe(server: Server): Promise<Answer> {
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
 * Each promotion begins a new timeline. A primary that stood still and moves again has the older one, until it is
 * stopped. 0: a managed database that does not say.
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
