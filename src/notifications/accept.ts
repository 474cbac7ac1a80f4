import { timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { isDatabaseUnavailable } from '../platform/db/errors.ts';
import { GroupCommit } from '../platform/db/group-commit.ts';
import { conflict, invalid } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { dailyLimitExceeded } from './daily-limits.ts';
import { claimIdempotencyKeys, releaseIdempotencyKey } from './idempotency.sql.ts';
import { findKnownAnswer, type IdempotencyClaim, type KnownAnswer, replayLimit } from './idempotency.ts';
import type { NewNotification } from './notification.ts';
import {
  type LimitedChannel,
  rowOf,
  type StoredOutcome,
  storeNotifications,
  storeNotificationsAlone,
} from './notifications.sql.ts';
import type { SendingService, SendingServices } from './sending-service.ts';

/** A message that passed every check. */
export interface Acceptance {
  service: SendingService;
  /** None for a simulated recipient: then nothing is stored but the answer to a repeated request. */
  notification: NewNotification | null;
  /** Whether it counts towards the limit for messages abroad, too. */
  abroad?: boolean;
  /** What has to be stored with it: jobs, documents. */
  alsoStore?: (tx: Tx) => Promise<void>;
  idempotency?: IdempotencyClaim & { response: unknown };
}

interface Item extends Acceptance {
  row: string | null;
}

type Outcome = { kind: 'stored' } | { kind: 'refused'; channel: LimitedChannel } | { kind: 'key-taken' };

type Needs = Pick<Platform, 'db' | 'pool' | 'clock'> & { services: SendingServices };

const stored: Outcome = { kind: 'stored' };
const cannotBeStored = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/**
 * Stores messages, many in one commit. A message is either stored with its place in the queue, its counts and its answer
 * to a repeated request, or not at all; it is durable when `accept` returns.
 */
export class Acceptor {
  private readonly app: Needs;
  private readonly commits: GroupCommit<Item, Outcome>;

  constructor(app: Needs) {
    this.app = app;
    this.commits = new GroupCommit({
      commit: (items) => this.commit(items),
      // Long enough for what 200 connections ask for at once, short enough to stay under 20 ms.
      largest: 200,
      atOnce: 2,
      concernsAll: isDatabaseUnavailable,
    });
  }

  /** Returns what to answer instead when the same request was accepted a moment ago by another process. */
  async accept(acceptance: Acceptance): Promise<KnownAnswer | undefined> {
    const { service, notification, idempotency } = acceptance;
    if (!notification && !idempotency) return undefined;
    const item = { ...acceptance, row: notification && this.rowOf(acceptance, notification) };
    // A key that was taken and is free again belonged to a message that a limit kept out: worth another try, not a loop.
    for (let tries = 0; tries < 3; tries += 1) {
      const outcome = await this.commits.add(item);
      if (outcome.kind === 'stored') return undefined;
      if (outcome.kind === 'refused') throw dailyLimitExceeded(service, outcome.channel, this.app.clock.now());
      const known = await findKnownAnswer(this.app, service.id, idempotency?.key ?? '');
      if (known) return known;
    }
    throw conflict('A request with this Idempotency-Key is still being processed');
  }

  /** A NUL or half a character would be refused by the database, and with it the whole group. */
  private rowOf({ service, abroad }: Acceptance, notification: NewNotification): string {
    const isCounted = notification.key_type !== 'test';
    const row = rowOf({
      ...notification,
      daily_limit: isCounted ? service.daily_limits[notification.notification_type] : null,
      international_limit: isCounted && abroad ? service.daily_limits.international_sms : null,
    });
    if (row.includes('\\u') && cannotBeStored.test(row)) throw invalid('A value in the request cannot be stored');
    return row;
  }

  private async commit(items: Item[]): Promise<Outcome[]> {
    const isPlain = items.every(({ row, alsoStore, idempotency }) => row && !alsoStore && !idempotency);
    return isPlain
      ? this.outcomesOf(items, await storeNotificationsAlone(this.app.pool, rowsOf(items)))
      : inTransaction(this.app.db, (tx) => this.commitWithMore(tx, items));
  }

  private async commitWithMore(tx: Tx, items: Item[]): Promise<Outcome[]> {
    const claimed = await this.claimKeys(tx, items);
    const remaining = items.filter((item) => !item.idempotency || claimed.has(item));
    const outcomes = this.outcomesOf(remaining, await storeNotifications(tx, rowsOf(remaining)));
    for (const [index, item] of remaining.entries()) {
      if (outcomes[index]?.kind === 'stored') await item.alsoStore?.(tx);
      else if (item.idempotency) await releaseIdempotencyKey(tx, item.service.id, item.idempotency.key);
    }
    const byItem = new Map(remaining.map((item, index) => [item, outcomes[index]]));
    return items.map((item) => byItem.get(item) ?? { kind: 'key-taken' });
  }

  /** Of several items under one key the first may claim it. */
  private async claimKeys(tx: Tx, items: Item[]): Promise<Set<Item>> {
    const first = new Map<string, Item>();
    const now = this.app.clock.now();
    const rows = [];
    for (const item of items) {
      if (!item.idempotency) continue;
      const name = `${item.service.id} ${item.idempotency.key}`;
      if (first.has(name)) continue;
      first.set(name, item);
      rows.push({ service_id: item.service.id, created_at: timestamp(now), ...item.idempotency });
    }
    if (rows.length === 0) return new Set();
    const claimed = await claimIdempotencyKeys(tx, rows, timestamp(replayLimit(now)));
    return new Set(claimed.flatMap(({ service_id, key }) => first.get(`${service_id} ${key}`) ?? []));
  }

  private outcomesOf(items: Item[], { refused, counts }: StoredOutcome): Outcome[] {
    for (const { service_id, utc_day, channel, count } of counts ?? []) {
      for (const { service } of items) {
        if (service.id === service_id) this.app.services.learn(service, utc_day, channel, count);
      }
    }
    return items.map(({ notification }) => {
      const channel = notification && refused?.[notification.id];
      return channel ? { kind: 'refused', channel } : stored;
    });
  }
}

function rowsOf(items: Item[]): string[] {
  return items.flatMap(({ row }) => row ?? []);
}
