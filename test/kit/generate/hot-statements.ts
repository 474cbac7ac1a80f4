import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type pg from 'pg';
import { selectServicesWithKeys } from '../../../src/auth/api-keys.sql.ts';
import { createCountry } from '../../../src/countries/country.ts';
import { gb } from '../../../src/countries/gb.ts';
import { selectWaitingServices as selectServicesOfCallbacks } from '../../../src/delivery/callbacks/service-callbacks.sql.ts';
import { addUpHealth } from '../../../src/delivery/failover/provider-health.sql.ts';
import { reserveSlots } from '../../../src/delivery/failover/provider-slots.sql.ts';
import {
  insertMessageParts,
  selectIdsByProviderReference,
  selectIncomplete,
  selectMessageParts,
  selectTargets,
  updateDeliveredParts,
} from '../../../src/delivery/receipts/receipts.sql.ts';
import { updateReported, updateResults } from '../../../src/delivery/record-results.sql.ts';
import { hasDueReceipts, insertSandboxMessages, takeDueReceipts } from '../../../src/delivery/sandbox/sandbox.sql.ts';
import { selectOptOuts } from '../../../src/inbound/opt-outs/opt-outs.sql.ts';
import { addUpEmailOutcomes } from '../../../src/notifications/guard/email-outcomes.shared.sql.ts';
import { takeRatePermits } from '../../../src/notifications/limits/rate-limits.sql.ts';
import { selectWaitingServices } from '../../../src/notifications/queue/delivery-queue.sql.ts';
import { extendLeases, leaseQueued } from '../../../src/notifications/queue/leases.shared.sql.ts';
import { addUpStatusCounts, addUpUsage } from '../../../src/notifications/rollups/rollups.sql.ts';
import { storeNotificationsAlone, storeWithKeys } from '../../../src/notifications/sending/notifications.sql.ts';
import { selectSendingServices } from '../../../src/notifications/sending/sending-service.sql.ts';
import { updateStatuses } from '../../../src/notifications/status-change.shared.sql.ts';
import { timestamp } from '../../../src/platform/clock.ts';
import type { Db, Tx } from '../../../src/platform/db/database.ts';
import type { DB } from '../../../src/platform/db/schema.ts';
import { nilId } from '../../../src/platform/id.ts';
import { addUpDomainMail } from '../../../src/sending-domains/readiness/domain-mail.shared.sql.ts';
import { selectSuppressed } from '../../../src/services/suppression/suppression-list.sql.ts';
import { selectTemplatesById, selectVersionsOfTemplates } from '../../../src/templates/template-rows.sql.ts';
import { formatSql } from './format-sql.ts';

const moment = new Date('2026-01-01T00:00:00Z');
const now = timestamp(moment);
const id = nilId;

interface Targets {
  db: Db;
  tx: Tx;
  pool: pg.Pool;
}

const country = createCountry(gb);

/** Runs every prepared statement once. The values do not matter: a prepared statement has one text for all. */
async function runAll({ db, tx, pool }: Targets): Promise<void> {
  await selectServicesWithKeys(db, [id]);
  await selectSuppressed(db, id, []);
  await selectOptOuts(db, id, []);
  await selectTemplatesById(db, [id]);
  await selectVersionsOfTemplates(db, [{ id, version: 1 }]);
  await takeRatePermits(pool, [], { slot: 0, window_slots: 1 });
  await selectSendingServices(db, [id], '2026-01-01');
  await storeAll(pool);
  await updateStatuses(country.calendar, db, [], now);
  await selectWaitingServices(db, 'sms', { after: { lane: 0, service_id: id }, limit: 1, now });
  await leaseQueued(db, {
    ...{ type: 'sms', lane: 0, services: [], limit: 1, now, lease_ms: 1, worker: '', takeOverUntil: null },
    providers: { home: [], abroad: [] },
  });
  await extendLeases(db, '', [], 1).catch(() => undefined);
  await recordAll(db);
  await selectTargets(db, []);
  await selectIdsByProviderReference(db, []);
  await insertMessageParts(db, [], now);
  await selectMessageParts(db, []);
  await updateDeliveredParts(db, [], now);
  await selectIncomplete(db, []);
  await reserveSlots(db, { provider: '', count: 1, gap_ms: 1, ahead_ms: 1 }).catch(() => undefined);
  await insertSandboxMessages(db, []);
  await hasDueReceipts(db, now);
  await takeDueReceipts(tx, now, 1);
  await selectServicesOfCallbacks(db, { after: id, max: 1, now });
  await addUpStatusCounts(tx);
  await addUpUsage(tx);
  await addUpEmailOutcomes(tx);
  await addUpHealth(tx);
  await addUpDomainMail(country.calendar, tx);
}

async function storeAll(pool: pg.Pool): Promise<void> {
  const quota = { service_id: id, utc_day: '2026-01-01', requested: 1, daily_limit: 1 };
  for (const channel of ['sms', 'international_sms'] as const) {
    for (const traces of [[], [{ notification_id: id, traceparent: '' }]]) {
      await storeNotificationsAlone(country, pool, {
        rows: [],
        quotas: [{ ...quota, channel }],
        traces,
        lockTimeout_ms: 1,
      });
    }
  }
  const toStore = { rows: [], quotas: [], traces: [], lockTimeout_ms: 1 };
  await storeWithKeys(country, pool, toStore, { rows: [], freeBefore: now });
}

async function recordAll(db: Db): Promise<void> {
  const failure = {
    ...{ notification_id: id, attempt: 1, provider: null, outcome: 'failed' as const, reason: '' },
    ...{ duration_ms: null, failed_at: now, retry_at: null },
  };
  for (const failures of [[], [failure]]) {
    for (const unfinished of [[], [{ notification_id: id, look_at: now }]]) {
      await updateResults(country.calendar, db, {
        worker: '',
        rows: [],
        failures,
        unfinished,
        health: [],
        mail: [],
        now: moment,
      });
    }
  }
  for (const skipsLocked of [false, true]) {
    const reported = { now: moment, ofProvider: true, skipsLocked };
    await updateReported(country.calendar, db, [], reported);
    await updateReported(country.calendar, db, [], { ...reported, failures: [failure] });
  }
}

/** The text of every prepared statement by its name, formatted to be read. */
export async function hotStatements(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const record = (text: string) => {
    const name = /^\s*\/\* prepared: (\S+) \*\//.exec(text)?.[1];
    if (name === undefined) throw new Error(`This statement is not prepared: ${text}`);
    texts.set(name, formatSql(text));
    return { rows: [] };
  };
  const db = recordingDatabase(record);
  const pool = { query: async ({ text }: { text: string }) => record(text) } as unknown as pg.Pool;
  await runAll({ db, tx: db as Tx, pool });
  return texts;
}

function recordingDatabase(record: (text: string) => { rows: never[] }): Db {
  const connection: DatabaseConnection = {
    executeQuery: async ({ sql }: CompiledQuery) => record(sql),
    streamQuery: () => {
      throw new Error('No statement is read as a stream');
    },
  };
  const nothing = async () => undefined;
  const driver: Driver = {
    ...{ init: nothing, beginTransaction: nothing, commitTransaction: nothing, rollbackTransaction: nothing },
    ...{ releaseConnection: nothing, destroy: nothing },
    acquireConnection: async () => connection,
  };
  return new Kysely<DB>({
    dialect: {
      createDriver: () => driver,
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}
