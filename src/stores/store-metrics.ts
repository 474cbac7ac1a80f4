import type { Platform } from '../platform/platform.ts';
import type { InStores } from './stores.ts';

/** Whether this process can use each store; nothing with one. */
export function measureStores({ stores }: InStores<Pick<Platform, 'store' | 'metrics' | 'changeListener'>>): void {
  if (stores.isOne) return;
  for (const { metrics, changeListener } of stores.all) {
    metrics.gauges('message_store_up', 'Whether this process can use a message store', [], async () => [
      { labels: {}, value: changeListener.connected ? 1 : 0 },
    ]);
  }
}
