import type pg from 'pg';

/** What the database did for one message, or for many. */
export interface DatabaseCosts {
  wal_bytes: number;
  /** Whole pages in the write-ahead log: the first change of each page after a checkpoint. */
  full_pages: number;
  commits: number;
  transaction_ids: number;
  rows_inserted: number;
  rows_updated: number;
  rows_deleted: number;
  /** Row versions that only a vacuum removes. Those of an update within one page go with the next access to the page. */
  rows_left_to_vacuum: number;
}

interface Relation {
  /** A partition is counted under the name of its partitioned table. */
  table: string;
  inserted: number;
  updated: number;
  deleted: number;
  left_to_vacuum: number;
  bytes: number;
}

export interface Counters {
  wal_bytes: number;
  full_pages: number;
  commits: number;
  transaction_ids: number;
  /** By object id. */
  relations: Map<string, Relation>;
}

/** Other connections must have been idle for more than ten seconds: until then they keep their counts to themselves. */
export async function readCounters(database: pg.Client): Promise<Counters> {
  await database.query('select pg_stat_force_next_flush()');
  const { rows } = await database.query(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal_bytes,
      (select wal_fpi::float8 from pg_stat_wal) as full_pages,
      (select xact_commit::float8 from pg_stat_database where datname = current_database()) as commits,
      pg_snapshot_xmax(pg_current_snapshot())::text::float8 as transaction_ids`,
  );
  const { rows: relations } = await database.query(
    `select s.relid::text as id, coalesce(i.inhparent, s.relid)::regclass::text as table,
      n_tup_ins::float8 as inserted, n_tup_upd::float8 as updated, n_tup_del::float8 as deleted,
      (n_tup_upd - n_tup_hot_upd + n_tup_del)::float8 as left_to_vacuum,
      pg_total_relation_size(s.relid)::float8 as bytes
    from pg_stat_user_tables s left join pg_inherits i on i.inhrelid = s.relid`,
  );
  return { ...rows[0], relations: new Map(relations.map(({ id, ...relation }) => [id, relation])) };
}

/** What has changed in each table, with its partitions. A partition that was dropped in between is not included. */
export function changesOfTables(before: Counters, after: Counters): Map<string, Relation> {
  const changes = new Map<string, Relation>();
  for (const [id, relation] of after.relations) {
    const { table } = relation;
    const none = { table, inserted: 0, updated: 0, deleted: 0, left_to_vacuum: 0, bytes: 0 };
    const earlier = before.relations.get(id) ?? none;
    const sum = changes.get(table) ?? none;
    for (const name of ['inserted', 'updated', 'deleted', 'left_to_vacuum', 'bytes'] as const) {
      sum[name] += relation[name] - earlier[name];
    }
    changes.set(table, sum);
  }
  return changes;
}

/** Without the rows of the given table. */
export function databaseCosts(before: Counters, after: Counters, without: string): DatabaseCosts {
  const rows = [...changesOfTables(before, after).values()].filter(({ table }) => table !== without);
  const sum = (of: (relation: Relation) => number) => rows.reduce((total, relation) => total + of(relation), 0);
  return {
    wal_bytes: after.wal_bytes - before.wal_bytes,
    full_pages: after.full_pages - before.full_pages,
    commits: after.commits - before.commits,
    transaction_ids: after.transaction_ids - before.transaction_ids,
    rows_inserted: sum(({ inserted }) => inserted),
    rows_updated: sum(({ updated }) => updated),
    rows_deleted: sum(({ deleted }) => deleted),
    rows_left_to_vacuum: sum(({ left_to_vacuum }) => left_to_vacuum),
  };
}
