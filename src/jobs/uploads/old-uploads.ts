import { earlier, hour_ms, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { keptUnsent_ms } from './upload-record.ts';
import { deleteUploadsBefore } from './uploads.sql.ts';

/** An upload takes minutes: after an hour its process has ended. */
const receivedWithin_ms = hour_ms;
/** An upload has up to 200 chunks. */
const batch = 20;

/** Deletes files that were not received completely, and those that were never sent. */
export async function deleteOldUploads({ db, clock }: Platform): Promise<void> {
  const now = clock.now();
  const before = {
    receiving: timestamp(earlier(now, receivedWithin_ms)),
    checked: timestamp(earlier(now, keptUnsent_ms)),
  };
  while ((await deleteUploadsBefore(db, before, batch)) === batch);
}
