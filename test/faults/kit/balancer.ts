import { setTimeout as sleep } from 'node:timers/promises';
import type { Supervised } from './supervised.ts';

/** A load balancer: polls `/readyz` a few times a second, and sends requests to ready processes in turn. */
export class Balancer {
  private readonly ready = new Set<Supervised>();
  private readonly watching: Promise<void>[];
  private turn = 0;
  private closed = false;

  constructor(apis: Supervised[]) {
    this.watching = apis.map((api) => this.watch(api));
  }

  port(): number {
    const ready = [...this.ready];
    this.turn += 1;
    return ready[this.turn % ready.length]?.port ?? 1;
  }

  async untilReady(count: number): Promise<void> {
    while (this.ready.size < count) await sleep(20);
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.watching);
  }

  private async watch(api: Supervised): Promise<void> {
    while (!this.closed) {
      if (await api.isReady()) this.ready.add(api);
      else this.ready.delete(api);
      await sleep(200);
    }
  }
}
