import { earlier, timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { nilId } from '../../platform/id.ts';
import { lanes, type NotificationType } from '../notification.ts';
import { type LeasedNotification, leaseQueued, selectWaitingServices } from './delivery-queue.sql.ts';
import { readNews } from './queue-news.ts';
import { ReadyServices } from './ready-services.ts';

export {
  extendLeases,
  heldBy,
  type LaneAge,
  type LeasedNotification,
  placeBroughtForward,
  placeChange,
  placeColumns,
  type QueuedNotification,
  rescheduleFutureDue,
  selectLaneAges as listLaneAges,
  updateProviders,
} from './delivery-queue.sql.ts';

/** Of ten places one is for bulk messages while there are any, so that they move however busy the rest is. */
const placesPerBulk = 10;
/** Services found in one statement. */
const servicesAtOnce = 1_000;
/** New messages are announced; retries, scheduled ones and what a dead worker held are found by looking. */
const lookEvery_ms = 500;
/** Looking costs more while an old snapshot keeps what is done in the index; then it is done less often. */
const shareOfLooking = 0.1;
/** An announced message is no older than this, unless its commit took as long; then looking finds it. */
const newsAge_ms = 5_000;

interface LeaseRequest {
  most: number;
  /** Bulk messages never take every place: an urgent message must not wait for their calls to end. */
  mostBulk: number;
  now: Date;
  until: Date;
  /** Whether leases of other workers that have run out are taken too. */
  takeOver: boolean;
  /** Who is called for the first messages that are leased: so many choices, at home and abroad. */
  draw(most: number): { home: (string | null)[]; abroad: (string | null)[] };
}

/**
 * Reads one channel’s queue: priority before normal before bulk, and inside a lane the services in turn. It knows which
 * services have something due, by announcements and by looking now and then, so that leasing is one statement per lane
 * and never steps over what is done. Readers of other processes pass over what this one holds.
 */
export class DeliveryQueueReader {
  readonly worker: string;
  private readonly type: NotificationType;
  private readonly ready = new Map<number, ReadyServices>(
    Object.values(lanes).map((lane) => [lane, new ReadyServices()]),
  );
  private nextLook = Number.NEGATIVE_INFINITY;
  /** Places since bulk messages last had one. */
  private bulkCredit = 0;

  constructor(type: NotificationType, worker: string) {
    this.type = type;
    this.worker = worker;
  }

  /** New messages were stored: see `QueueNews`. */
  hear(payload: string, now: Date): void {
    const news = readNews(payload);
    const since = earlier(now, newsAge_ms).getTime();
    for (const { lane, service_id } of news ?? []) this.ready.get(lane)?.add(service_id, since);
    if (!news) this.lookAgain();
  }

  /** Announcements may have been missed. */
  lookAgain(): void {
    this.nextLook = Number.NEGATIVE_INFINITY;
  }

  async lease(db: Db, request: LeaseRequest): Promise<LeasedNotification[]> {
    const { most, mostBulk } = request;
    await this.look(db, request.now);
    this.bulkCredit = Math.min(this.bulkCredit + most, most * placesPerBulk);
    const kept = Math.min(Math.floor(this.bulkCredit / placesPerBulk), mostBulk);
    const share = await this.take(db, lanes.bulk, kept, request);
    const priority = await this.take(db, lanes.priority, most - share.length, request);
    const normal = await this.take(db, lanes.normal, most - share.length - priority.length, request);
    const left = Math.min(most - priority.length - normal.length, mostBulk) - share.length;
    const bulk = [...share, ...(await this.take(db, lanes.bulk, left, request))];
    this.bulkCredit = share.length < kept ? 0 : Math.max(0, this.bulkCredit - bulk.length * placesPerBulk);
    return [...priority, ...normal, ...bulk];
  }

  private async look(db: Db, now: Date): Promise<void> {
    const began = performance.now();
    if (began < this.nextLook) return;
    let after = { lane: -1, service_id: nilId };
    for (;;) {
      const found = await selectWaitingServices(db, this.type, { after, most: servicesAtOnce, now: timestamp(now) });
      for (const { lane, service_id, oldest } of found) {
        if (oldest) this.ready.get(lane)?.add(service_id, Date.parse(oldest));
      }
      const last = found.at(-1);
      if (found.length < servicesAtOnce || !last) break;
      after = last;
    }
    const took_ms = performance.now() - began;
    this.nextLook = began + Math.max(lookEvery_ms, took_ms / shareOfLooking);
  }

  private async take(db: Db, lane: number, most: number, request: LeaseRequest): Promise<LeasedNotification[]> {
    const ready = this.ready.get(lane);
    const turn = ready?.next(most) ?? [];
    if (!ready || turn.length === 0) return [];
    const now = request.now.getTime();
    const each = Math.floor(most / turn.length);
    const leased = await leaseQueued(db, {
      type: this.type,
      lane,
      // A clock that was set back must not hide what is due.
      services: turn.map(({ service_id, since }) => ({ service_id, since: timestamp(new Date(Math.min(since, now))) })),
      most: each,
      now: timestamp(request.now),
      until: timestamp(request.until),
      worker: this.worker,
      takeOver: request.takeOver,
      providers: request.draw(each * turn.length),
    });
    ready.settle(turn, each, leased);
    return leased;
  }
}
