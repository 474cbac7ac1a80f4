import { day_ms, earlier, timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { NewNotification } from '../notification.ts';
import type { IdempotencyClaim } from '../sending/idempotency.ts';
import { deleteUploadedLettersBefore, insertUploadedLetter, selectUploadedLetter } from './one-off.sql.ts';

/** Uploaded letters have a public id that the uploader chose. It maps to the stored id of the notification. */

export const findUploadedLetter = selectUploadedLetter;

/** Maps a public id to the stored id; returns any other id unchanged. */
export async function storedId(db: Db, serviceId: string, id: string): Promise<string> {
  return (await selectUploadedLetter(db, serviceId, id)) ?? id;
}

export function recordUploadedLetter(tx: Tx, letter: NewNotification, file_id: string): Promise<void> {
  const { id: notification_id, service_id, created_at } = letter;
  return insertUploadedLetter(tx, { service_id, file_id, notification_id, created_at });
}

/** Only the first of several requests for a file sends the letter. Clients cannot send this key, because headers contain no line breaks. */
export function claimOfFile(fileId: string): IdempotencyClaim {
  return { key: `file_id\n${fileId}`, request_digest: 'file_id' };
}

const retentionDays = 365;

/** Kept as long as the printer's references, because a letter may be returned until then. */
export async function deleteOldUploadedLetters({ db, clock }: Platform): Promise<void> {
  await deleteUploadedLettersBefore(db, timestamp(earlier(clock.now(), retentionDays * day_ms)));
}
