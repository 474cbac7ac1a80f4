import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { isDatabaseUnavailable } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import { conflict, invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  byKey,
  dailyLimitExceeded,
  type LimitedMessage,
  limitThatRefused,
  numberMessages,
} from '../limits/daily-limits.ts';
import type { NewNotification } from '../notification.ts';
import { QueueNews } from '../queue/queue-news.ts';
import { claimIdempotencyKeys, releaseIdempotencyKey } from './idempotency.sql.ts';
import { findStoredResponse, type IdempotencyClaim, replayLimit, type StoredResponse } from './idempotency.ts';
import {
  type LimitedChannel,
  type LimitShare,
  type NotificationRow,
  type NumberedRow,
  rowOf,
  storeNotifications,
  storeNotificationsAlone,
  type TakenShare,
} from './notifications.sql.ts';
import { learnCount, type SendingService } from './sending-service.ts';

/** A message that passed every check. */
interface Acceptance {
  service: SendingService;
  /** None for a simulated recipient: then nothing is stored but the answer to a repeated request. */
  notification: NewNotification | null;
  /** Whether it counts towards the limit for messages abroad, too. */
  abroad: boolean;
  /** What has to be stored with it: jobs, documents. */
  alsoStore?: (tx: Tx) => Promise<void>;
  idempotency?: IdempotencyClaim & { response: unknown };
}

interface Item {
  acceptance: Acceptance;
  row: NotificationRow | null;
  /** Null when it counts towards no limit. */
  limited: LimitedMessage | null;
}

type Outcome = { kind: 'stored' } | { kind: 'refused'; channel: LimitedChannel } | { kind: 'key-taken' };

type Needs = Pick<Platform, 'db' | 'pool' | 'clock' | 'changeListener' | 'log' | 'secrets'>;

const stored: Outcome = { kind: 'stored' };

/**
 * Stores messages, many in one commit. A message is either stored with its place in the queue, its counts and its answer
 * to a repeated request, or not at all; it is durable when `accept` returns.
 */
export class Acceptor {
  private readonly app: Needs;
  private readonly news: QueueNews;
  /** Plain messages, and those with more to store: these need several statements, and the others must not wait for them. */
  private readonly plain: GroupCommit<Item, Outcome>;
  private readonly withMore: GroupCommit<Item, Outcome>;

  constructor(app: Needs) {
    this.app = app;
    this.news = new QueueNews(app);
    // Large enough for what 200 connections ask for at once, small enough to stay under 20 ms. Two at once: while one waits
    // for the disk the next one fills, so that neither we nor the database ever sit idle.
    const shared = {
      largest: 200,
      atOnce: 2,
      concernsAll: isDatabaseUnavailable,
      ownerOf: ({ acceptance }: Item) => acceptance.service.id,
    };
    // A statement takes as long to begin and end as to store twenty messages.
    const together = { every_ms: 8, busyFrom: 8 };
    this.plain = new GroupCommit({ ...shared, ...together, commit: (items) => this.commit(items) });
    this.withMore = new GroupCommit({
      ...shared,
      commit: (items) => inTransaction(app.db, (tx) => this.commitWithMore(tx, items)),
    });
  }

  /** Returns what to answer instead when the same request was accepted a moment ago by another process. */
  async accept(acceptance: Acceptance): Promise<StoredResponse | undefined> {
    const { service, notification, idempotency } = acceptance;
    if (!notification && !idempotency) return undefined;
    const row = notification && storableRow(notification);
    const item = { acceptance, row, limited: notification && limitedMessage(acceptance, notification) };
    const commits = row && !idempotency && !acceptance.alsoStore ? this.plain : this.withMore;
    // A key that was taken and is free again belonged to a message that a limit kept out: worth another try, not a loop.
    for (let tries = 0; tries < 3; tries += 1) {
      const outcome = await commits.add(item);
      if (outcome.kind === 'stored') {
        if (notification) this.announce(notification);
        return undefined;
      }
      if (outcome.kind === 'refused') throw dailyLimitExceeded(service, outcome.channel, this.app.clock.now());
      const known = await findStoredResponse(this.app, service.id, idempotency?.key ?? '');
      if (known) return known;
    }
    throw conflict('A request with this Idempotency-Key is still being processed');
  }

  /** What is scheduled for later is found when its time has come. */
  private announce({ notification_type, service_id, lane, due_at, created_at }: NewNotification): void {
    if (lane !== null && due_at === created_at) this.news.add(notification_type, { lane, service_id });
  }

  private commit(items: Item[]): Promise<Outcome[]> {
    return this.store(items, (rows, shares) => storeNotificationsAlone(this.app.pool, rows, shares));
  }

  private async commitWithMore(tx: Tx, items: Item[]): Promise<Outcome[]> {
    const claimed = await this.claimKeys(tx, items);
    const remaining = items.filter((item) => !item.acceptance.idempotency || claimed.has(item));
    const outcomes = await this.store(remaining, (rows, shares) => storeNotifications(tx, rows, shares));
    for (const [index, item] of remaining.entries()) {
      const { service, alsoStore, idempotency } = item.acceptance;
      if (outcomes[index]?.kind === 'stored') await alsoStore?.(tx);
      else if (idempotency) await releaseIdempotencyKey(tx, service.id, idempotency.key);
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
      const { service, idempotency } = item.acceptance;
      if (!idempotency) continue;
      const name = `${service.id} ${idempotency.key}`;
      if (first.has(name)) continue;
      first.set(name, item);
      rows.push({ service_id: service.id, created_at: timestamp(now), ...idempotency });
    }
    if (rows.length === 0) return new Set();
    const claimed = await claimIdempotencyKeys(tx, rows, timestamp(replayLimit(now)));
    return new Set(claimed.flatMap(({ service_id, key }) => first.get(`${service_id} ${key}`) ?? []));
  }

  private async store(
    items: Item[],
    write: (rows: NumberedRow[], shares: LimitShare[]) => Promise<TakenShare[]>,
  ): Promise<Outcome[]> {
    const { numbers, shares } = numberMessages(items.map(({ limited }) => limited));
    const rows = items.flatMap(({ row }, index): NumberedRow[] => (row ? [{ row, ...numbers[index] }] : []));
    const answer = rows.length > 0 ? await write(rows, shares) : [];
    learn(new Set(items.map(({ acceptance: { service } }) => service)), answer);
    const taken = byKey(answer);
    return items.map(({ limited }, index): Outcome => {
      const number = numbers[index];
      const channel = limited && number && limitThatRefused(limited, number, taken);
      return channel ? { kind: 'refused', channel } : stored;
    });
  }
}

function learn(services: ReadonlySet<SendingService>, taken: TakenShare[]): void {
  const byService = new Map<string, TakenShare[]>();
  for (const share of taken) {
    const known = byService.get(share.service_id);
    if (known) known.push(share);
    else byService.set(share.service_id, [share]);
  }
  for (const service of services) {
    for (const { utc_day, channel, count } of byService.get(service.id) ?? []) {
      learnCount(service, utc_day, channel, count);
    }
  }
}

// As JSON.stringify writes them; behind an odd number of further backslashes the same letters are ordinary text.
const cannotBeStored = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** A NUL or half a character would be refused by the database, and with it the whole group. */
function storableRow(notification: NewNotification): NotificationRow {
  const row = rowOf(notification);
  if (row.includes('\\u') && cannotBeStored.test(row)) throw invalid('A value in the request cannot be stored');
  return row;
}

function limitedMessage({ service, abroad }: Acceptance, notification: NewNotification): LimitedMessage | null {
  if (notification.key_type === 'test') return null;
  return {
    service,
    channel: notification.notification_type,
    utc_day: notification.created_at.slice(0, 10),
    abroad,
  };
}
