import { sql } from 'kysely';
import type pg from 'pg';
import type { Calendar } from '../../countries/calendar.ts';
import type { Db } from '../../platform/db/database.ts';
import { anyOf } from '../../platform/db/expressions.ts';
import { offsetText } from '../../platform/db/local-day.ts';

export async function readServerFacts(client: pg.ClientBase) {
  const { rows } = await client.query<{ version: number; version_text: string; now_ms: number; migrated: boolean }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as version_text,
      extract(epoch from clock_timestamp())::float8 * 1000 as now_ms, to_regclass('schema_migrations') is not null as migrated`,
  );
  const [facts] = rows;
  if (!facts) throw new Error('the database returned no rows');
  const migrations = facts.migrated
    ? (await client.query<{ name: string }>('select name from schema_migrations')).rows.map(({ name }) => name)
    : [];
  return { ...facts, migrations };
}

/** Returns the clock changes of a zone that PostgreSQL knows between two moments, at hourly precision. */
export async function readOffsets(
  client: Pick<pg.ClientBase, 'query'>,
  calendar: Calendar,
  { from, until }: { from: Date; until: Date },
) {
  const { rows } = await client.query<{ from: Date; ahead_ms: number }>(
    `select moment as "from", ahead_ms from (
      select moment, ahead_ms, lag(ahead_ms) over (order by moment) as before from (
        select moment, (extract(epoch from ${offsetText(calendar, 'moment')}) * 1000)::int as ahead_ms
        from generate_series($1::timestamptz, $2::timestamptz, interval '1 hour') as moment
      ) as hours
    ) as changes where before is distinct from ahead_ms order by moment`,
    [from, until],
  );
  const version = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
  return {
    offsets: rows.map((row) => ({ ...row, from: new Date(row.from) })),
    version: version.rows[0]?.version ?? '',
  };
}

interface Standby {
  sync_state: string | null;
  behind_bytes: number | null;
  /** Null when the standby is up to date. */
  behind_s: number | null;
}

/** Without the privileges of pg_read_all_stats, the state of a standby is null. */
export async function readReplication(
  client: pg.ClientBase,
): Promise<{ standbys: Standby[]; synchronous_commit: string }> {
  const { rows: standbys } = await client.query<Standby>(
    `select sync_state, pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::float8 as behind_bytes,
      extract(epoch from flush_lag)::float8 as behind_s
    from pg_stat_replication where state is null or state in ('catchup', 'streaming')`,
  );
  const { rows } = await client.query<{ synchronous_commit: string }>('show synchronous_commit');
  return { standbys, synchronous_commit: rows[0]?.synchronous_commit ?? '' };
}

interface KeyRow {
  id: string;
  service_id: string;
  encrypted_secret: string;
}

/** Selects a sample: the newest keys. */
export async function selectSomeKeys(client: pg.ClientBase): Promise<KeyRow[]> {
  const { rows } = await client.query<KeyRow>(
    'select id, service_id, encrypted_secret from api_keys order by id desc limit 1000',
  );
  return rows;
}

export function selectMovedService(db: Db, id: string) {
  return db.selectFrom('services').select(['active', 'api_dialect']).where('id', '=', id).executeTakeFirst();
}

/** Selects templates with these ids, of any service. */
export function selectMovedTemplates(db: Db, ids: string[]) {
  return db
    .selectFrom('templates')
    .select(['id', 'service_id', 'archived'])
    .where('id', '=', anyOf(ids))
    .where('hidden', '=', false)
    .execute();
}

/** Selects the reply-to addresses and text message senders of a service. */
export async function selectSenderIds(db: Db, serviceId: string): Promise<{ kind: string; id: string }[]> {
  const { rows } = await sql<{ kind: string; id: string }>`
    select 'reply-to' as kind, id from service_email_reply_to where service_id = ${serviceId} and not archived
    union all
    select 'text message sender', id from service_sms_senders where service_id = ${serviceId} and not archived`.execute(
    db,
  );
  return rows;
}
