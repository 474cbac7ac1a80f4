import { InvalidatedCache } from '../../platform/cache.ts';
import { BatchReader } from '../../platform/db/batch-reader.ts';
import type { Platform } from '../../platform/platform.ts';
import { selectSenderIdentities } from './sender-identities.sql.ts';

/** The properties of the sending service that a message shows. */
export type SenderIdentity = Omit<Awaited<ReturnType<typeof selectSenderIdentities>>[number], 'id'> & {
  /** Where its emails come from, if not from the domain of the installation. */
  from_domain?: string;
};
export type SenderIdentities = InvalidatedCache<SenderIdentity>;

export function senderIdentities(app: Platform): SenderIdentities {
  const rows = new BatchReader<SenderIdentity & { id: string }>(
    (ids) => selectSenderIdentities(app.db, ids),
    ({ id }) => id,
  );
  return new InvalidatedCache<SenderIdentity>(app.changeListener, {
    channel: 'service_changed',
    max_bytes: app.cacheMemory_bytes / 8,
    bytesOf: () => 800,
    load: (serviceId) => rows.find(serviceId),
  });
}
