import type { Platform } from '../../platform/platform.ts';
import { selectPausedServices } from './guard.sql.ts';

/** While no notification arrives, the list is read again after so long. */
const keptWithoutNews_ms = 1_000;

/**
 * The services whose sending to many is paused, for a worker: what waits of them is not leased, and its rows stay as they are.
 * Read again only when the state of a service has changed.
 */
export class PausedServices {
  private ids: ReadonlySet<string> = new Set();
  private readAt = Number.NEGATIVE_INFINITY;
  private isStale = true;
  private readonly app: Pick<Platform, 'db' | 'changeListener'>;

  constructor(app: Pick<Platform, 'db' | 'changeListener'>) {
    this.app = app;
    const forget = () => {
      this.isStale = true;
    };
    app.changeListener.on('service_guard_changed', forget);
    app.changeListener.onReset(forget);
  }

  has(serviceId: string): boolean {
    return this.ids.has(serviceId);
  }

  async refresh(): Promise<void> {
    const isOld = !this.app.changeListener.connected && performance.now() - this.readAt > keptWithoutNews_ms;
    if (!this.isStale && !isOld) return;
    // A change that is announced meanwhile is read the next time.
    this.isStale = false;
    try {
      this.ids = new Set(await selectPausedServices(this.app.db));
    } catch (error) {
      this.isStale = true;
      throw error;
    }
    this.readAt = performance.now();
  }
}
