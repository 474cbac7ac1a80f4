import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { lockQueued, type QueuedNotification, selectWaitingServices, updateLeased } from './delivery-queue.sql.ts';
import { lanes, type NotificationType } from './notification.ts';

export {
  extendLeases,
  hastenQueued,
  type LaneAge,
  type QueuedNotification,
  type Requeued,
  removeQueued,
  requeue,
  selectLaneAges as listLaneAges,
} from './delivery-queue.sql.ts';

/** Of ten places at least one is for bulk messages while there are any, so that they move however busy the rest is. */
const bulkShare = 0.1;
const beforeAllServices = '00000000-0000-0000-0000-000000000000';

export interface LeaseRequest {
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
  private bulkCredit = 0;

  constructor(type: NotificationType) {
    this.type = type;
  }

  lease(db: Db, request: LeaseRequest): Promise<QueuedNotification[]> {
    return inTransaction(db, async (tx) => {
      const { most } = request;
      this.bulkCredit = Math.min(this.bulkCredit + most * bulkShare, most);
      const kept = Math.min(Math.floor(this.bulkCredit), request.mostBulk);
      const priority = await this.take(tx, lanes.priority, most - kept, request.now);
      const normal = await this.take(tx, lanes.normal, most - kept - priority.length, request.now);
      const left = most - priority.length - normal.length;
      const bulk = await this.take(tx, lanes.bulk, Math.min(left, request.mostBulk), request.now);
      this.bulkCredit = bulk.length < kept ? 0 : Math.max(0, this.bulkCredit - bulk.length);

      const leased = [...priority, ...normal, ...bulk];
      const rows = leased.map((queued) => ({ id: queued.id, provider: request.assign(queued) }));
      if (rows.length > 0) await updateLeased(tx, rows, timestamp(request.until));
      return leased;
    });
  }

  private async take(tx: Tx, lane: number, most: number, now: Date): Promise<QueuedNotification[]> {
    const after = this.stoppedAt.get(lane) ?? beforeAllServices;
    const rows = await this.takeAfter(tx, lane, after, most, now);
    if (after === beforeAllServices || rows.length >= most) return rows;
    const others = await this.takeAfter(tx, lane, beforeAllServices, most - rows.length, now);
    // Once round the circle: what this transaction holds already is not passed over.
    const held = new Set(rows.map(({ id }) => id));
    return [...rows, ...others.filter(({ id }) => !held.has(id))];
  }

  private async takeAfter(tx: Tx, lane: number, after: string, most: number, now: Date): Promise<QueuedNotification[]> {
    if (most <= 0) return [];
    const place = { notification_type: this.type, lane };
    const found = await selectWaitingServices(tx, place, { after, most, now: timestamp(now) });
    const last = found.length === most ? found.at(-1) : undefined;
    this.stoppedAt.set(lane, last?.service_id ?? beforeAllServices);
    const services = found.filter(({ due }) => due).map(({ service_id }) => service_id);
    if (services.length === 0) return [];
    return lockQueued(tx, place, { services, each: Math.floor(most / services.length), now: timestamp(now) });
  }
}
