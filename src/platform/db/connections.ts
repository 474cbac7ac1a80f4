import { hour_ms } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { ChangeListener } from './change-listener.ts';
import { longPausesInTransactions } from './database.ts';
import { type Database, openDatabase, openPool, refuseOtherSettings } from './pool.ts';
import { Standby } from './servers/standby.ts';

interface ConnectionOptions {
  url: string;
  /** Bypasses the pooler if `url` uses one. */
  sessionUrl?: string | undefined;
  replicaUrl?: string | undefined;
  poolSize: number;
  readPoolSize: number;
  readTimeout_ms: number;
  preparedStatements?: boolean | undefined;
  log: Log;
  metrics: Metrics;
}

/** All connections of one process to the database. */
export interface Connections extends Pick<Database, 'db' | 'pool'> {
  /** Session-level connections, for LISTEN. The same pool, unless the URL goes through PgBouncer. */
  sessions: Database['pool'];
  changeListener: ChangeListener;
  /** Separate pools, so that slow reports or tasks never use up the connections that accepting and delivering messages need. */
  apart: { reading: Database; tasks: Database };
  /** Undefined if no standby is configured. */
  standby: Standby | undefined;
  open(): Promise<void>;
  close(): Promise<void>;
}

// One session listens for tasks; the others fetch and complete them.
const sessionsOfWorker = 4;

/** Maximum connections that the scheduled tasks of one process use at the same time. */
const connectionsOfTasks = 4;
/** A step of a task takes seconds, so a statement that runs this long is stuck. */
const taskTimeout_ms = hour_ms;

/** Opens no connections; `open` does. */
export function prepareConnections({
  url,
  sessionUrl,
  replicaUrl,
  log,
  metrics,
  ...options
}: ConnectionOptions): Connections {
  const { db, pool, close } = openDatabase({
    url,
    poolSize: options.poolSize,
    log,
    // A pooler may run each transaction on another connection, which lacks the prepared statement.
    prepares: options.preparedStatements ?? sessionUrl === undefined,
  });
  const sessions = sessionUrl === undefined ? pool : openPool({ url: sessionUrl, poolSize: sessionsOfWorker, log });
  const apart = {
    reading: openDatabase({
      url,
      poolSize: options.readPoolSize,
      statementTimeout_ms: options.readTimeout_ms,
      log,
    }),
    // Bypasses the pooler, which would not pass the longer timeouts on to the server.
    tasks: openDatabase({
      url: sessionUrl ?? url,
      poolSize: connectionsOfTasks,
      statementTimeout_ms: taskTimeout_ms,
      session: longPausesInTransactions,
      log,
    }),
  };
  const standby =
    replicaUrl === undefined
      ? undefined
      : new Standby({
          url: replicaUrl,
          primaryUrl: url,
          poolSize: options.readPoolSize,
          statementTimeout_ms: options.readTimeout_ms,
          primary: apart.reading,
          ...{ log, metrics },
        });
  const changeListener = new ChangeListener({ url, sessionUrl: sessionUrl ?? url, log });
  return {
    ...{ db, pool, sessions, changeListener, apart, standby },
    async open() {
      await refuseOtherSettings(pool);
      await changeListener.start();
      standby?.start();
    },
    async close() {
      await changeListener.close();
      await standby?.close();
      if (sessions !== pool) await sessions.end();
      for (const database of Object.values(apart)) await database.close();
      await close();
    },
  };
}
