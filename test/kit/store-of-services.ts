import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { App } from '../../src/app.ts';
import { copiedTables, mainTables, storeTables } from '../../src/stores/tables.ts';

/**
 * With several stores, puts all services of a harness into one of them, the last. Returns what tests use: the application of that
 * store, as routes, tasks and delivery get it, except that a statement of a test about the configuration goes to the main database.
 * The stores have the change before the test goes on.
 */
export async function useOneStore(app: App): Promise<App> {
  const { main, all, isOne } = app.stores;
  if (isOne) return app;
  const store = all.at(-1) ?? main;
  // On a busy machine a copy may take longer than a request waits for it.
  app.configurationCopies.patience_ms = 60_000;
  // Services that a request creates go to the same store as those of the builders.
  await main.db.updateTable('message_stores').set({ is_open: false }).where('number', '<>', store.store).execute();
  await app.configurationCopies.update();
  for (const other of all.filter((one) => one !== main)) await hideMainTables(other);
  return appOfServices(main, store);
}

/** What is found by its id is looked for in every store. */
const foundById: readonly string[] = [
  'organisation_invites',
  'service_invites',
  'service_join_requests',
  'webauthn_credentials',
];

/** They are empty in a store: a statement that reads one of them there would find nothing. Here it fails. */
async function hideMainTables({ pool }: App): Promise<void> {
  const hidden = mainTables.filter((name) => !foundById.includes(name));
  const moves = hidden.map((name) => `alter table if exists ${name} set schema main_only;`);
  await pool.query(`create schema if not exists main_only; ${moves.join(' ')}`);
}

function appOfServices(main: App, store: App): App {
  const { all } = main.stores;
  const pool = routingPool(main, store);
  const reset = () => {
    for (const { changeListener } of all) changeListener.reset();
  };
  const own = {
    pool,
    db: new Kysely({ dialect: new PostgresDialect({ pool }) }),
    changeListener: Object.create(store.changeListener, { reset: { value: reset } }),
  };
  return new Proxy(store, {
    get: (_store, name) => Reflect.get(name in own ? own : store, name),
    // A test that replaces a part of the application replaces it in all stores.
    set: (_store, name, value) => all.every((one) => Reflect.set(one, name, value)),
  });
}

type Query = (...args: unknown[]) => Promise<pg.QueryResult>;

interface Connection {
  query: Query;
  release(error?: Error | boolean): void;
}

function routingPool(main: App, store: App): pg.Pool {
  const connect = async () => new RoutingConnection(main, store);
  const query: Query = async (...args) => {
    const connection = await connect();
    return connection.query(...args).finally(() => connection.release());
  };
  return new Proxy(store.pool, {
    get(pool, name) {
      if (name === 'query') return query;
      if (name === 'connect') return connect;
      const value = Reflect.get(pool, name);
      return typeof value === 'function' ? value.bind(pool) : value;
    },
  });
}

/** Takes connections as statements need them. A transaction may use both. */
class RoutingConnection implements Connection {
  private readonly taken = new Map<App, Connection>();
  private readonly main: App;
  private readonly store: App;
  private begin: unknown[] | undefined;
  private hasChanges = false;

  constructor(main: App, store: App) {
    this.main = main;
    this.store = store;
  }

  async query(...args: unknown[]): Promise<pg.QueryResult> {
    const text = textOf(args);
    if (/^\s*(begin|start transaction)\b/i.test(text)) {
      this.begin = args;
      return { rows: [] } as unknown as pg.QueryResult;
    }
    if (/^\s*(commit|rollback)\b(?!\s+to)/i.test(text)) return this.end(args);
    const { isAboutMain, writes } = routeOf(text);
    const result = await (await this.connectionTo(isAboutMain ? this.main : this.store)).query(...args);
    this.hasChanges ||= isAboutMain && writes;
    if (!this.begin) await this.copyChanges();
    return result;
  }

  release(error?: Error | boolean): void {
    for (const connection of this.taken.values()) connection.release(error);
    this.taken.clear();
  }

  private async connectionTo(app: App): Promise<Connection> {
    const known = this.taken.get(app);
    if (known) return known;
    const connection = (await app.pool.connect()) as unknown as Connection;
    this.taken.set(app, connection);
    if (this.begin) await connection.query(...this.begin);
    return connection;
  }

  private async end(args: unknown[]): Promise<pg.QueryResult> {
    this.begin = undefined;
    let result = { rows: [] } as unknown as pg.QueryResult;
    for (const connection of this.taken.values()) result = await connection.query(...args);
    await this.copyChanges();
    return result;
  }

  private async copyChanges(): Promise<void> {
    if (!this.hasChanges) return;
    this.hasChanges = false;
    await this.main.configurationCopies.update();
  }
}

function textOf([first]: unknown[]): string {
  return typeof first === 'string' ? first : String((first as { text?: unknown }).text ?? '');
}

const configuration: ReadonlySet<string> = new Set([...copiedTables, ...mainTables]);
/** Tables and views. */
const ofStores: ReadonlySet<string> = new Set([
  ...storeTables,
  'job_statuses',
  'provider_health_counts',
  'service_months',
  'status_counts',
  'status_counts_not_folded',
  'usage_counts',
  'usage_not_folded',
]);

const isOfStores = (name: string) => ofStores.has(name) || name.startsWith('notifications_');

/** The tables that a statement changes say where it belongs, or else those that it reads. */
function routeOf(text: string): { isAboutMain: boolean; writes: boolean } {
  const written = tablesAfter(text, 'insert into|update|delete from|truncate|alter table|lock table|table');
  const tables = written.length > 0 ? written : tablesAfter(text, 'from|join');
  const isAboutMain = tables.length > 0 && tables.every((name) => configuration.has(name));
  return { isAboutMain, writes: written.length > 0 };
}

function tablesAfter(text: string, keywords: string): string[] {
  const pattern = new RegExp(`\\b(?:${keywords})\\s+(?:only\\s+)?"?([a-z_0-9]+)`, 'gi');
  const names = [...text.matchAll(pattern)].map(([, name = '']) => name);
  return names.filter((name) => configuration.has(name) || isOfStores(name));
}
