import type pg from 'pg';
import type { Country } from '../countries/country.ts';
import type { Languages } from '../language/languages.ts';
import type { Clock } from './clock.ts';
import type { ChangeListener } from './db/change-listener.ts';
import type { Db } from './db/database.ts';
import type { Standby } from './db/servers/standby.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { BulkPace } from './process/bulk-pace.ts';
import type { Queue } from './queue/queue.ts';
import type { SecretBox } from './secrets/secrets.ts';
import type { Files } from './storage/files.ts';
import type { Tracing } from './tracing/tracing.ts';

/** Dependencies of every feature. A feature that needs more declares it: `app: Platform & { config: { urls: Urls } }`. */
export interface Platform {
  db: Db;
  pool: pg.Pool;
  /** Session-level connections, for LISTEN. The same pool, unless DATABASE_URL goes through PgBouncer. */
  sessions: pg.Pool;
  changeListener: ChangeListener;
  /** For `fromStandby`. Undefined if no standby is configured. */
  standby: Standby | undefined;
  /** The total memory that all caches of a process share. */
  cacheMemory_bytes: number;
  queue: Queue;
  files: Files;
  secrets: SecretBox;
  bulkPace: BulkPace;
  clock: Clock;
  /** Rules that differ between countries: days, money, numbers, addresses, post, words. */
  country: Country;
  /** The languages of pages and messages. */
  languages: Languages;
  log: Log;
  metrics: Metrics;
  /** Undefined if no trace collector is configured. */
  tracing: Tracing | undefined;
}
