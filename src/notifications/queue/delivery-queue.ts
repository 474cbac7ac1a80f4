import { earlier, type Timestamp, timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { lanes } from '../notification.ts';
import { type Retries, selectLaneCounts, selectRetries, selectWaitingServices } from './delivery-queue.sql.ts';
import { type LeasedNotification, leaseQueued } from './leases.shared.sql.ts';
import { parseAnnouncement } from './queue-announcer.ts';

/** One of ten slots is reserved for bulk messages, so that they are not starved. */
const slotsPerBulk = 10;
/** Services per statement. */
const servicesPerQuery = 1_000;
/** NOTIFY announces new messages. Polling finds retries, scheduled messages and expired leases. */
const pollEvery_ms = 500;
/** Maximum share of time spent polling. Polls get slower while an old snapshot keeps dead index entries. */
const maxPollShare = 0.1;
/** Maximum age of an announced message. If its commit took longer, polling finds it. */
const maxAnnouncementAge_ms = 5_000;

export interface InLane {
  service_id: string;
  lane: number;
}

interface LeaseRequest {
  max: number;
  /** Bulk messages never take all slots, so that urgent messages need not wait for their provider calls. */
  maxBulk: number;
  now: Date;
  lease_ms: number;
  /** Takes over leases of other workers that ended by this database time; null for none. */
  takeOverUntil: Timestamp | null;
  /** Services of a lane from which nothing is leased now, except messages that were due before `expired`, so that these are not starved. */
  skip?(of: InLane): boolean;
  expired?: Date;
  /** Chooses providers for the first attempts, domestic and international. */
  draw(max: number): { home: (string | null)[]; abroad: (string | null)[] };
}

/**
 * Reads the queue of one channel: priority before normal before bulk, round-robin by service within a lane. From announcements and polling
 * it knows which services have due messages, so leasing is one statement per lane and never scans finished messages. Readers of other
 * processes skip messages that this one has leased.
 */
export class DeliveryQueueReader {
  readonly worker: string;
  private readonly type: Channel;
  private readonly ready = new Map<number, ReadyServices>(
    Object.values(lanes).map((lane) => [lane, new ReadyServices()]),
  );
  private nextPoll = Number.NEGATIVE_INFINITY;
  /** Slots granted since the last bulk message. */
  private bulkCredit = 0;

  constructor(type: Channel, worker: string) {
    this.type = type;
    this.worker = worker;
  }

  /** Handles an announcement of new messages: see `QueueAnnouncer`. */
  onNotify(payload: string, now: Date): void {
    const announced = parseAnnouncement(payload);
    const since = earlier(now, maxAnnouncementAge_ms).getTime();
    for (const { lane, service_id } of announced ?? []) this.ready.get(lane)?.add(service_id, since);
    if (!announced) this.pollSoon();
  }

  /** Polls at the next lease, because announcements may have been missed. */
  pollSoon(): void {
    this.nextPoll = Number.NEGATIVE_INFINITY;
  }

  async lease(db: Db, request: LeaseRequest): Promise<LeasedNotification[]> {
    const { max, maxBulk } = request;
    await this.poll(db, request.now);
    this.bulkCredit = Math.min(this.bulkCredit + max, max * slotsPerBulk);
    const kept = Math.min(Math.floor(this.bulkCredit / slotsPerBulk), maxBulk);
    const share = await this.take(db, lanes.bulk, kept, request);
    const priority = await this.take(db, lanes.priority, max - share.length, request);
    const normal = await this.take(db, lanes.normal, max - share.length - priority.length, request);
    const left = Math.min(max - priority.length - normal.length, maxBulk) - share.length;
    const more = await this.take(db, lanes.bulk, left, request);
    const bulk = [...share, ...more, ...(await this.takeExpired(db, lanes.bulk, left - more.length, request))];
    this.bulkCredit = share.length < kept ? 0 : Math.max(0, this.bulkCredit - bulk.length * slotsPerBulk);
    return [...priority, ...normal, ...bulk];
  }

  private async poll(db: Db, now: Date): Promise<void> {
    const began = performance.now();
    if (began < this.nextPoll) return;
    let after = { lane: -1, service_id: nilId };
    for (;;) {
      const found = await selectWaitingServices(db, this.type, { after, limit: servicesPerQuery, now: timestamp(now) });
      for (const { lane, service_id, oldest } of found) {
        if (oldest) this.ready.get(lane)?.add(service_id, Date.parse(oldest));
      }
      const last = found.at(-1);
      if (found.length < servicesPerQuery || !last) break;
      after = last;
    }
    const took_ms = performance.now() - began;
    this.nextPoll = began + Math.max(pollEvery_ms, took_ms / maxPollShare);
  }

  private async take(db: Db, lane: number, max: number, request: LeaseRequest): Promise<LeasedNotification[]> {
    const ready = this.ready.get(lane);
    const round = ready?.next(max, (service_id) => request.skip?.({ service_id, lane }) ?? false) ?? [];
    return ready ? this.leaseRound(db, lane, max, { ...request, ready, round }) : [];
  }

  /** Leases expired messages of skipped services. */
  private async takeExpired(db: Db, lane: number, max: number, request: LeaseRequest): Promise<LeasedNotification[]> {
    const { skip, expired } = request;
    const ready = this.ready.get(lane);
    if (!ready || !skip || !expired || max < 1) return [];
    const round = ready.next(max, (service_id, since) => since > expired.getTime() || !skip({ service_id, lane }));
    return this.leaseRound(db, lane, max, { ...request, ready, round, now: expired });
  }

  private async leaseRound(
    db: Db,
    lane: number,
    max: number,
    { ready, round, ...request }: LeaseRequest & { ready: ReadyServices; round: ReadyService[] },
  ): Promise<LeasedNotification[]> {
    if (round.length === 0) return [];
    const now = request.now.getTime();
    const each = Math.floor(max / round.length);
    const leased = await leaseQueued(db, {
      type: this.type,
      lane,
      // Due messages must still be found after the clock was set back.
      services: round.map(({ service_id, since }) => ({
        service_id,
        since: timestamp(new Date(Math.min(since, now))),
      })),
      limit: each,
      now: timestamp(request.now),
      lease_ms: request.lease_ms,
      worker: this.worker,
      takeOverUntil: request.takeOverUntil,
      providers: request.draw(each * round.length),
    });
    ready.settle(round, each, leased);
    return leased;
  }
}

interface Ready {
  /** Lower bound of the due times of its messages. */
  since: number;
  /** How often it was announced or found by polling. */
  foundCount: number;
}

interface ReadyService extends Ready {
  service_id: string;
}

/** Services of one lane that probably have due messages, in round-robin order. */
export class ReadyServices {
  private readonly services = new Map<string, Ready>();

  add(service_id: string, since: number): void {
    const existing = this.services.get(service_id);
    if (!existing) {
      this.services.set(service_id, { since, foundCount: 1 });
      return;
    }
    existing.since = Math.min(existing.since, since);
    existing.foundCount += 1;
  }

  /** Returns the next services, at most one per slot. Skipped services keep their place. */
  next(slots: number, skip: (service_id: string, since: number) => boolean = () => false): ReadyService[] {
    const round: ReadyService[] = [];
    for (const [service_id, { since, foundCount }] of this.services) {
      if (round.length >= slots) break;
      if (skip(service_id, since)) continue;
      round.push({ service_id, since, foundCount });
    }
    return round;
  }

  /** Drops services that had fewer due messages than `each`, unless new ones were announced. Moves the others to the end. */
  settle(round: ReadyService[], each: number, leased: { service_id: string; due_at: string }[]): void {
    const taken = new Map<string, { count: number; last: string }>();
    for (const { service_id, due_at } of leased) {
      const before = taken.get(service_id);
      taken.set(service_id, {
        count: (before?.count ?? 0) + 1,
        last: before && before.last > due_at ? before.last : due_at,
      });
    }
    for (const { service_id, foundCount } of round) {
      const ready = this.services.get(service_id);
      if (!ready) continue;
      const { count, last } = taken.get(service_id) ?? { count: 0, last: '' };
      this.services.delete(service_id);
      const isDrained = count < each;
      if (isDrained && ready.foundCount === foundCount) continue;
      if (!isDrained && ready.foundCount === foundCount) ready.since = Date.parse(last);
      this.services.set(service_id, ready);
    }
  }
}

export type { Retries };

export interface LaneDepth {
  notification_type: Channel;
  lane: number;
  /** A value of `maxCounted` means that or more. */
  waiting: number;
  oldest_due_at: Timestamp;
}

export const maxCounted = 100_000;
/** The maximum number of services per lane whose oldest message is looked up. */
const maxServices = 1_000;

/**
 * Returns the lanes with due messages. The cost does not grow with the queue: with more than 1,000 waiting services in a lane, only the
 * first 1,000 are searched for the oldest message, because they wait about as long as the others.
 */
export async function listLaneDepths({ db, clock }: Platform, max = maxCounted): Promise<LaneDepth[]> {
  const now = timestamp(clock.now());
  const depths: LaneDepth[] = [];
  for (const count of await selectLaneCounts(db, now, max)) {
    const after = { lane: count.lane, service_id: nilId };
    const services = await selectWaitingServices(db, count.notification_type, { after, limit: maxServices, now });
    const dueTimes = services.flatMap(({ lane, oldest }) => (lane === count.lane && oldest ? [oldest] : []));
    const [oldest_due_at] = dueTimes.sort();
    if (oldest_due_at !== undefined) depths.push({ ...count, oldest_due_at });
  }
  return depths;
}

/** Returns the messages of each channel that wait for a retry, counted up to `max`. The cost does not grow with the queue. */
export function listRetries({ db, clock }: Platform, max = maxCounted): Promise<Retries[]> {
  return selectRetries(db, timestamp(clock.now()), max);
}
