import type { Platform } from '../platform/platform.ts';
import type { ConfigurationCopies } from './configuration-copies.ts';
import type { InStores } from './stores.ts';

type InDatabase = Pick<Platform, 'store' | 'metrics' | 'changeListener'>;

/** Of each store, in this process; nothing with one. */
export function measureStores(app: InStores<InDatabase> & { configurationCopies: ConfigurationCopies }): void {
  const { stores, configurationCopies } = app;
  if (stores.isOne) return;
  for (const { store, metrics, changeListener } of stores.all) {
    metrics.gauges('message_store_up', 'Whether this process can use a message store', [], async () => [
      { labels: {}, value: changeListener.connected ? 1 : 0 },
    ]);
    metrics.gauges(
      'configuration_copy_age_seconds',
      'How old the configuration in a message store may be',
      [],
      async () => {
        const value = configurationCopies.age_s(store);
        return value === undefined ? [] : [{ labels: {}, value }];
      },
    );
  }
}
