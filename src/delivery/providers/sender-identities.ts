import { InvalidatedCache } from '../../platform/cache.ts';
import { BatchReader } from '../../platform/db/batch-reader.ts';
import type { Platform } from '../../platform/platform.ts';
import { selectSenderIdentities } from './sender-identities.sql.ts';

/** The properties of the sending service that appear in a message. */
export type SenderIdentity = Omit<Awaited<ReturnType<typeof selectSenderIdentities>>[number], 'id'> & {
  /** The domain of its emails, if it is not the installation's. */
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
