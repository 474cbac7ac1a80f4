import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';

/** Slightly less than the maximum payload of NOTIFY. */
const maxPayloadLength = 7_500;
/** Throttles announcements: under load, workers lease anyway, and each NOTIFY costs as much as a message. */
const announceEvery_ms = 20;

interface Waiting {
  lane: number;
  service_id: string;
}

export function queueChannel(type: Channel): string {
  return `delivery_queue_${type}`;
}

type ServicesByLane = Map<number, Set<string>>;

function addTo(byLane: ServicesByLane, { lane, service_id }: Waiting): void {
  const services = byLane.get(lane);
  if (services) services.add(service_id);
  else byLane.set(lane, new Set([service_id]));
}

export function formatAnnouncement(waiting: Waiting[]): string {
  const byLane: ServicesByLane = new Map();
  for (const each of waiting) addTo(byLane, each);
  return payloadOf(byLane);
}

/** Returns the services with new messages by lane: `1:id,id;2:id`. Empty if they exceed the payload; then workers poll. */
function payloadOf(byLane: ServicesByLane): string {
  const text = [...byLane].map(([lane, services]) => `${lane}:${[...services].join()}`).join(';');
  return text.length > maxPayloadLength ? '' : text;
}

/** Returns undefined if the payload names no services. */
export function parseAnnouncement(payload: string): Waiting[] | undefined {
  if (payload === '') return undefined;
  return payload.split(';').flatMap((part) => {
    const [lane, services = ''] = part.split(':');
    return services.split(',').map((service_id) => ({ lane: Number(lane), service_id }));
  });
}

/**
 * Wakes the workers once new messages are committed. Runs outside that commit, because NOTIFY serializes commits. If an
 * announcement is lost, polling finds the message half a second later.
 */
export class QueueAnnouncer {
  private readonly app: Platform;
  private readonly pending = new Map<Channel, ServicesByLane>();
  private announcing = false;

  constructor(app: Platform) {
    this.app = app;
  }

  add(type: Channel, waiting: Waiting): void {
    const byLane = this.pending.get(type) ?? new Map();
    addTo(byLane, waiting);
    this.pending.set(type, byLane);
    if (this.announcing) return;
    this.announcing = true;
    setImmediate(() => void this.announce());
  }

  private async announce(): Promise<void> {
    const pending = [...this.pending];
    this.pending.clear();
    try {
      for (const [type, byLane] of pending) await this.app.changeListener.send(queueChannel(type), payloadOf(byLane));
    } catch (error) {
      this.app.log.debug(
        { event: 'queue.unannounced', err: error },
        'New messages were not announced; workers will poll',
      );
    }
    setTimeout(() => {
      if (this.pending.size > 0) void this.announce();
      else this.announcing = false;
    }, announceEvery_ms);
  }
}
