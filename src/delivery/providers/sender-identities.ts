import { InvalidatedCache } from '../../platform/cache.ts';
import { minute_ms } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { selectSenderIdentity } from './sender-identities.sql.ts';

/** The properties of the sending service that a message shows. */
export type SenderIdentity = NonNullable<Awaited<ReturnType<typeof selectSenderIdentity>>>;
export type SenderIdentities = InvalidatedCache<SenderIdentity>;

export function senderIdentities(app: Platform): SenderIdentities {
  return new InvalidatedCache(app.changeListener, {
    channel: 'service_changed',
    max: app.cachedRows,
    // A safety net if a change notification is lost.
    ttl_ms: minute_ms,
    load: (serviceId) => selectSenderIdentity(app.db, serviceId),
  });
}
