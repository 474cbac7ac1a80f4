import type { Platform } from '../platform/platform.ts';
import { Remembered } from '../platform/remembered.ts';
import { selectSenderIdentity } from './sender-identities.sql.ts';

/** What a message shows of the service that sends it. */
export type SenderIdentity = NonNullable<Awaited<ReturnType<typeof selectSenderIdentity>>>;
export type SenderIdentities = Remembered<SenderIdentity>;

export function senderIdentities(app: Pick<Platform, 'db' | 'notices'>): SenderIdentities {
  return new Remembered(app.notices, {
    channel: 'service_changed',
    most: 10_000,
    // A change of branding is not announced as a change of the services that use it.
    forgetAfter_ms: 60_000,
    load: (serviceId) => selectSenderIdentity(app.db, serviceId),
  });
}
