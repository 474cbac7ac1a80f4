import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { nilId } from '../platform/id.ts';
import { lockQueued, type QueuedNotification, selectWaitingServices, updateLeased } from './delivery-queue.sql.ts';
import { lanes, type NotificationType } from './notification.ts';

export {
  bringForward,
  extendLeases,
  hastenQueued,
  type LaneAge,
  type QueuedNotification,
  type Requeued,
  removeQueued,
  requeue,
  selectLaneAges as listLaneAges,
} from './delivery-queue.sql.ts';

/** Of ten places one is for bulk messages while there are any, so that they move however busy the rest is. */
const placesPerBulk = 10;
/** Services looked at in one statement, and statements in one lease: many may have nothing but scheduled messages. */
const servicesAtOnce = 100;
const mostLooks = 10;

interface LeaseRequest {
  most: number;
  /** Bulk messages never take every place: an urgent message must not wait for their calls to end. */
  mostBulk: number;
  now: Date;
  until: Date;
  /** Decides who is called, so that it is on record before the call; null: nobody is. */
  assign(queued: QueuedNotification): string | null;
}

/**
 * Reads one channel’s queue: priority before normal before bulk, and inside a lane the services in turn. Each reader
 * remembers where it stopped; readers of other processes pass over what this one holds.
 */
export class DeliveryQueueReader {
  private readonly type: NotificationType;
  private readonly stoppedAt = new Map<number, string>();
  /** Places since bulk messages last had one. */
  private bulkCredit = 0;

  constructor(type: NotificationType) {
    this.type = type;
  }

  lease(db: Db, request: LeaseRequest): Promise<QueuedNotification[]> {
    return inTransaction(db, async (tx) => {
      const { most, mostBulk, now } = request;
      this.bulkCredit = Math.min(this.bulkCredit + most, most * placesPerBulk);
      const kept = Math.min(Math.floor(this.bulkCredit / placesPerBulk), mostBulk);
      const share = await this.take(tx, lanes.bulk, kept, now);
      const priority = await this.take(tx, lanes.priority, most - share.length, now);
      const normal = await this.take(tx, lanes.normal, most - share.length - priority.length, now);
      const left = Math.min(most - priority.length - normal.length, mostBulk) - share.length;
      const bulk = [...share, ...(await this.take(tx, lanes.bulk, left, now, share))];
      this.bulkCredit = share.length < kept ? 0 : Math.max(0, this.bulkCredit - bulk.length * placesPerBulk);

      const leased = [...priority, ...normal, ...bulk];
      const rows = leased.map((queued) => ({ id: queued.id, provider: request.assign(queued) }));
      if (rows.length > 0) await updateLeased(tx, rows, timestamp(request.until));
      return leased;
    });
  }

  /** Goes on where it stopped, round the circle of services at most once. */
  private async take(
    tx: Tx,
    lane: number,
    most: number,
    now: Date,
    held: QueuedNotification[] = [],
  ): Promise<QueuedNotification[]> {
    const place = { notification_type: this.type, lane };
    const start = this.stoppedAt.get(lane) ?? nilId;
    const taken: QueuedNotification[] = [];
    let after = start;
    let wrapped = start === nilId;
    for (let look = 0; look < mostLooks && taken.length < most; look += 1) {
      const left = most - taken.length;
      const found = await selectWaitingServices(tx, place, { after, most: servicesAtOnce, now: timestamp(now) });
      const due = found.filter((service) => service.due).map(({ service_id }) => service_id);
      const services = due.slice(0, left);
      if (services.length > 0) {
        const each = Math.floor(left / services.length);
        // What this very transaction has locked would not be passed over.
        const except = [...held, ...taken].map(({ id }) => id);
        taken.push(...(await lockQueued(tx, place, { services, each, except, now: timestamp(now) })));
      }
      const unvisited = due.length > services.length || found.length === servicesAtOnce;
      after = unvisited ? ((due.length > left ? services.at(-1) : found.at(-1)?.service_id) ?? after) : nilId;
      if (unvisited) continue;
      if (wrapped) break;
      wrapped = true;
    }
    this.stoppedAt.set(lane, after);
    return taken;
  }
}
