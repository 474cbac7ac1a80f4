import type { Platform } from '../../platform/platform.ts';
import type { NotificationType } from '../notification.ts';

/** What PostgreSQL takes in one notice, less a little. */
const longestNotice = 7_500;
/** Under load, workers are told this often: they lease without being told then, and each notice costs as much as a message. */
const tellEvery_ms = 20;

interface Waiting {
  lane: number;
  service_id: string;
}

export function newsChannel(type: NotificationType): string {
  return `delivery_queue_${type}`;
}

/** Which services have new messages, by lane: `1:id,id;2:id`. Too many for one notice: nothing, and workers look for themselves. */
export function writeNews(waiting: Iterable<Waiting>): string {
  const byLane = new Map<number, Set<string>>();
  for (const { lane, service_id } of waiting) {
    const services = byLane.get(lane);
    if (services) services.add(service_id);
    else byLane.set(lane, new Set([service_id]));
  }
  const text = [...byLane].map(([lane, services]) => `${lane}:${[...services].join()}`).join(';');
  return text.length > longestNotice ? '' : text;
}

/** Undefined: it does not say which. */
export function readNews(payload: string): Waiting[] | undefined {
  if (payload === '') return undefined;
  return payload.split(';').flatMap((part) => {
    const [lane, services = ''] = part.split(':');
    return services.split(',').map((service_id) => ({ lane: Number(lane), service_id }));
  });
}

/**
 * Wakes the workers once new messages are committed. Outside that commit, because notices of PostgreSQL make commits wait
 * for each other; and one that gets lost only means that the message is found half a second later.
 */
export class QueueNews {
  private readonly app: Pick<Platform, 'changeListener' | 'log'>;
  private readonly untold = new Map<NotificationType, Map<string, Waiting>>();
  private telling = false;

  constructor(app: Pick<Platform, 'changeListener' | 'log'>) {
    this.app = app;
  }

  add(type: NotificationType, waiting: Waiting): void {
    const known = this.untold.get(type) ?? new Map<string, Waiting>();
    known.set(`${waiting.lane} ${waiting.service_id}`, waiting);
    this.untold.set(type, known);
    if (this.telling) return;
    this.telling = true;
    setImmediate(() => void this.tell());
  }

  private async tell(): Promise<void> {
    const news = [...this.untold];
    this.untold.clear();
    try {
      for (const [type, waiting] of news)
        await this.app.changeListener.send(newsChannel(type), writeNews(waiting.values()));
    } catch (error) {
      this.app.log.debug({ err: error }, 'workers could not be told of new messages; they look for themselves');
    }
    setTimeout(() => {
      if (this.untold.size > 0) void this.tell();
      else this.telling = false;
    }, tellEvery_ms);
  }
}
