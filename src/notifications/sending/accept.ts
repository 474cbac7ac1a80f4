import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { isDatabaseUnavailable, isLockTimeout, unstorable } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import { conflict, type Failure, invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { currentSpan, endAfter, type Span } from '../../platform/tracing/span.ts';
import { annualLimitExceeded, annualQuotas, countRefusal } from '../limits/annual-limits.ts';
import { dailyLimitExceeded, exceededLimit, type LimitedMessage, numberMessages } from '../limits/daily-limits.ts';
import { claimWithinLimits, type Refusal } from '../limits/exact-limits.ts';
import type { NewNotification } from '../notification.ts';
import { type NotificationRow, rowOf, setSequence } from '../notification-row.ts';
import { QueueAnnouncer } from '../queue/queue-announcer.ts';
import { claimIdempotencyKeys, type IdempotencyRow, releaseIdempotencyKey } from './idempotency.sql.ts';
import {
  findStoredResponse,
  type IdempotencyClaim,
  lockTimeout_ms,
  replayLimit,
  type StoredResponse,
} from './idempotency.ts';
import {
  type ExhaustedQuota,
  isOnlyPart,
  type MessageTrace,
  type NotificationsToStore,
  storeNotifications,
  storeNotificationsAlone,
  storeWithKeys,
} from './notifications.sql.ts';
import { type SendingService, updateCount } from './sending-service.ts';

/** A message that passed every check. */
export interface Acceptance {
  service: SendingService;
  /** Null for a simulated recipient: then only the response is stored, for repeated requests. */
  notification: NewNotification | null;
  /** Whether it also counts towards the international limit. */
  abroad: boolean;
  /** The parts of a text, if the limits of the service count them. */
  parts?: number | undefined;
  /** Stores related rows, such as tasks and documents, in the same transaction. */
  alsoStore?: (tx: Tx) => Promise<void>;
  idempotency?: IdempotencyClaim & { response: unknown };
}

interface Item {
  acceptance: Acceptance;
  row: NotificationRow | null;
  /** Null if no limit applies. */
  limited: LimitedMessage | null;
  /** Undefined if the request is not traced. */
  span: Span | undefined;
}

type Outcome = { kind: 'stored' } | { kind: 'refused'; by: Refusal } | { kind: 'key-taken' };

const stored: Outcome = { kind: 'stored' };

/**
 * Used for a service with a row that stayed locked for longer than `lockTimeout_ms`. Healthy transactions lock a row for a few
 * milliseconds.
 */
const shortLockTimeout_ms = 500;

const lockTimeout = (usesShortTimeout: boolean) => (usesShortTimeout ? shortLockTimeout_ms : lockTimeout_ms);

/**
 * Stores messages in group commits. A message is stored together with its queue entry, its counts and its idempotent response, or not at
 * all. It is durable when `accept` returns.
 */
export class Acceptor {
  private readonly app: Platform;
  /** Also announces messages that were stored elsewhere. */
  readonly announcer: QueueAnnouncer;
  /** Messages with related rows need several statements, and those with a key may wait for it. Others must not wait for them. */
  private readonly plain: GroupCommit<Item, Outcome>;
  private readonly keyed: GroupCommit<Item, Outcome>;
  private readonly withMore: GroupCommit<Item, Outcome>;
  /** Messages with annual limits or limits in parts, whose counters are locked one after the other. */
  private readonly exact: GroupCommit<Item, Outcome>;

  constructor(app: Platform) {
    this.app = app;
    this.announcer = new QueueAnnouncer(app);
    // Large enough for 200 concurrent connections, small enough to commit within 20 ms.
    const shared = {
      maxItems: 200,
      maxConcurrent: 2,
      affectsAll: isDatabaseUnavailable,
      isLockTimeout,
      ownerOf: ({ acceptance }: Item) => acceptance.service.id,
    };
    // The overhead of a statement equals storing twenty messages, so commits take turns: while one runs, the next group grows to about half
    // of the clients. After a longer interval, all of them would be in one group, and the process and the database would wait for each
    // other.
    const together = { every_ms: 4, busyFrom: 8, turns: { from: 16, atMost_ms: 12 } };
    this.plain = new GroupCommit({
      ...shared,
      ...together,
      commit: (items, usesShortTimeout) => this.commit(items, lockTimeout(usesShortTimeout)),
    });
    this.keyed = new GroupCommit({
      ...shared,
      ...together,
      commit: (items, usesShortTimeout) => this.commitKeyed(items, lockTimeout(usesShortTimeout)),
    });
    this.withMore = new GroupCommit({
      ...shared,
      commit: (items, usesShortTimeout) => this.commitWithMore(items, lockTimeout(usesShortTimeout)),
    });
    this.exact = new GroupCommit({
      ...shared,
      ...together,
      commit: (items, usesShortTimeout) => this.commitExactly(items, lockTimeout(usesShortTimeout)),
    });
  }

  /** Returns the stored response if another process has already accepted the same request. */
  accept(acceptance: Acceptance): Promise<StoredResponse | undefined> {
    const span = acceptance.notification ? startSpan(acceptance.notification) : undefined;
    const accepting = this.acceptWithin(span, acceptance);
    return span ? endAfter(span, accepting) : accepting;
  }

  private async acceptWithin(span: Span | undefined, acceptance: Acceptance): Promise<StoredResponse | undefined> {
    const { service, notification, idempotency } = acceptance;
    if (!notification && !idempotency) return undefined;
    const item = this.itemOf(acceptance, span);
    const { limited } = item;
    const single = idempotency ? this.keyed : this.plain;
    const unlimitedYear = acceptance.alsoStore ? this.withMore : single;
    const commits = limited && (limited.annual.length > 0 || limited.parts !== null) ? this.exact : unlimitedYear;
    // If a key was taken and is free again, a limit rejected its message, so a retry may succeed.
    for (let tries = 0; tries < 3; tries += 1) {
      const outcome = await commits.add(item);
      if (outcome.kind === 'stored') {
        if (notification) this.announce(notification);
        return undefined;
      }
      if (outcome.kind === 'refused') throw this.failureOf(service, outcome.by);
      const storedResponse = await findStoredResponse(this.app, service.id, idempotency?.key ?? '');
      if (storedResponse) return storedResponse;
    }
    throw conflict('A request with this Idempotency-Key is still being processed');
  }

  /** Stores all messages in one transaction, or none, except those whose key is taken. Returns which were stored. */
  acceptTogether(acceptances: Acceptance[]): Promise<boolean[]> {
    const items = acceptances.map((acceptance) => {
      const { notification } = acceptance;
      return this.itemOf(acceptance, notification ? startSpan(notification) : undefined);
    });
    const accepting = this.acceptItems(items);
    return items.reduce((ending, { span }) => (span ? endAfter(span, ending) : ending), accepting);
  }

  private async acceptItems(items: Item[]): Promise<boolean[]> {
    const outcomes = await this.commitInSteps(items, lockTimeout_ms, async (tx, remaining) => {
      const tried = await this.storeExactly(tx, remaining, lockTimeout_ms);
      for (const [index, outcome] of tried.entries()) {
        const item = remaining[index];
        if (item && outcome.kind === 'refused') throw this.failureOf(item.acceptance.service, outcome.by);
      }
      return tried;
    });
    return outcomes.map(({ kind }, index) => {
      const notification = items[index]?.acceptance.notification;
      if (kind === 'stored' && notification) this.announce(notification);
      return kind === 'stored';
    });
  }

  private itemOf(acceptance: Acceptance, span: Span | undefined): Item {
    const { notification } = acceptance;
    const row = notification && rowToStore(notification);
    const limited = notification && this.limitedMessage(acceptance, notification);
    return { acceptance, row, limited, span };
  }

  private failureOf(service: SendingService, by: Refusal): Failure {
    countRefusal(this.app, by.kind, by.kind === 'year' ? by.quota.channel : by.channel);
    if (by.kind === 'year') return annualLimitExceeded(service, by.quota);
    return dailyLimitExceeded(this.app.country, service, by.channel, this.app.clock.now());
  }

  /** Scheduled messages need no announcement: workers find them when they are due. */
  private announce({ notification_type, service_id, lane, due_at, created_at }: NewNotification): void {
    if (lane !== null && due_at === created_at) this.announcer.add(notification_type, { lane, service_id });
  }

  private commit(items: Item[], lockTimeout_ms: number): Promise<Outcome[]> {
    return this.store(items, lockTimeout_ms, (toStore) =>
      storeNotificationsAlone(this.app.country, this.app.pool, toStore),
    );
  }

  /** Uses one statement. If it cannot store all items, a transaction finds out which it can. */
  private async commitKeyed(items: Item[], lockTimeout_ms: number): Promise<Outcome[]> {
    const { claiming, keys } = this.keysOf(items);
    try {
      const outcomes = await this.store([...claiming.values()], lockTimeout_ms, (toStore) =>
        storeWithKeys(this.app.country, this.app.pool, toStore, keys),
      );
      return outcomesOf(items, [...claiming.values()], outcomes);
    } catch (error) {
      if (!isOnlyPart(error)) throw error;
      return this.commitWithMore(items, lockTimeout_ms);
    }
  }

  private commitWithMore(items: Item[], lockTimeout_ms: number): Promise<Outcome[]> {
    return this.commitInSteps(items, lockTimeout_ms, (tx, remaining) =>
      this.store(remaining, lockTimeout_ms, async (toStore) =>
        toStore.rows.length > 0 ? storeNotifications(this.app.country, tx, toStore) : [],
      ),
    );
  }

  private commitExactly(items: Item[], lockTimeout_ms: number): Promise<Outcome[]> {
    return this.commitInSteps(items, lockTimeout_ms, (tx, remaining) =>
      this.storeExactly(tx, remaining, lockTimeout_ms),
    );
  }

  /** Decides which items are within every limit, and stores those without further limits. */
  private async storeExactly(tx: Tx, items: Item[], lockTimeout_ms: number): Promise<Outcome[]> {
    const limited = items.map((item) => item.limited);
    const refusals = await claimWithinLimits(tx, limited, lockTimeout_ms);
    const toStore = items.flatMap((item, index) => (refusals[index] ? [] : [{ ...item, limited: null }]));
    if (toStore.length > 0) {
      await this.store(toStore, lockTimeout_ms, (rows) => storeNotifications(this.app.country, tx, rows));
    }
    return refusals.map((by): Outcome => (by ? { kind: 'refused', by } : stored));
  }

  private commitInSteps(
    items: Item[],
    lockTimeout_ms: number,
    store: (tx: Tx, remaining: Item[]) => Promise<Outcome[]>,
  ): Promise<Outcome[]> {
    return inTransaction(this.app.db, async (tx) => {
      const claimed = await this.claimKeys(tx, items, lockTimeout_ms);
      const remaining = items.filter((item) => !item.acceptance.idempotency || claimed.has(item));
      const outcomes = await store(tx, remaining);
      for (const [index, item] of remaining.entries()) {
        const { service, alsoStore, idempotency } = item.acceptance;
        if (outcomes[index]?.kind === 'stored') await alsoStore?.(tx);
        else if (idempotency) await releaseIdempotencyKey(tx, service.id, idempotency.key);
      }
      return outcomesOf(items, remaining, outcomes);
    });
  }

  private async claimKeys(tx: Tx, items: Item[], lockTimeout_ms: number): Promise<Set<Item>> {
    const { claiming, keys } = this.keysOf(items);
    if (claiming.size === 0) return new Set();
    const claimed = await claimIdempotencyKeys(tx, { ...keys, lockTimeout_ms });
    return new Set(claimed.flatMap(({ service_id, key }) => claiming.get(`${service_id} ${key}`) ?? []));
  }

  /** If several items share a key, the first claims it. */
  private keysOf(items: Item[]) {
    const claiming = new Map<string, Item>();
    const now = this.app.clock.now();
    const rows: IdempotencyRow[] = [];
    for (const item of items) {
      const { service, idempotency } = item.acceptance;
      if (!idempotency) continue;
      const name = `${service.id} ${idempotency.key}`;
      if (claiming.has(name)) continue;
      claiming.set(name, item);
      rows.push({ service_id: service.id, created_at: timestamp(now), ...idempotency });
    }
    return { claiming, keys: { rows, freeBefore: timestamp(replayLimit(now)) } };
  }

  private limitedMessage({ service, abroad, parts }: Acceptance, notification: NewNotification): LimitedMessage | null {
    if (notification.key_type === 'test') return null;
    return {
      service,
      channel: notification.notification_type,
      utc_day: this.app.country.limitCalendar.day(new Date(notification.created_at)),
      abroad,
      annual: annualQuotas(
        this.app.country,
        service,
        notification.notification_type,
        () => new Date(notification.created_at),
      ),
      parts: parts ?? null,
    };
  }

  private async store(
    items: Item[],
    lockTimeout_ms: number,
    write: (toStore: NotificationsToStore) => Promise<ExhaustedQuota[]>,
  ): Promise<Outcome[]> {
    const { numbers, quotas } = numberMessages(items.map(({ limited }) => limited));
    const rows: NotificationRow[] = [];
    const traces: MessageTrace[] = [];
    for (const [index, { row, span, acceptance }] of items.entries()) {
      const number = numbers[index];
      if (!row || !number) continue;
      setSequence(row, number.sequence, number.international_sequence);
      rows.push(row);
      if (span && acceptance.notification)
        traces.push({ notification_id: acceptance.notification.id, traceparent: span.traceparent });
    }
    const exhausted = await write({ rows, quotas, traces, lockTimeout_ms });
    if (exhausted.length === 0) return items.map(() => stored);
    return items.map(({ acceptance, limited }, index): Outcome => {
      updateCounts(acceptance.service, exhausted);
      const number = numbers[index];
      const channel = limited && number && exceededLimit(limited, number, exhausted);
      return channel ? { kind: 'refused', by: { kind: 'day', channel } } : stored;
    });
  }
}

/** Returns an outcome for each item. For items that were not tried, the key is taken. */
function outcomesOf(items: Item[], tried: Item[], outcomes: Outcome[]): Outcome[] {
  const byItem = new Map(tried.map((item, index) => [item, outcomes[index]]));
  return items.map((item) => byItem.get(item) ?? { kind: 'key-taken' });
}

function startSpan({ id, service_id, notification_type }: NewNotification): Span | undefined {
  return currentSpan()?.child('store notification', 'internal', {
    'pennypost.notification.id': id,
    'pennypost.service.id': service_id,
    'pennypost.channel': notification_type,
  });
}

function updateCounts(service: SendingService, exhausted: ExhaustedQuota[]): void {
  for (const { service_id, utc_day, channel, count } of exhausted) {
    if (service_id === service.id) updateCount(service, utc_day, channel, count);
  }
}

function rowToStore(notification: NewNotification): NotificationRow {
  const row = rowOf(notification);
  if (!row) throw invalid(unstorable);
  return row;
}
