import { day_ms, earlier, timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { NewNotification } from '../notification.ts';
import type { IdempotencyClaim } from '../sending/idempotency.ts';
import { deleteUploadedLettersBefore, insertUploadedLetter, selectUploadedLetter } from './uploaded-letters.sql.ts';

/** Letters that are called by an id of their uploader's choice. Both are ids of the same notification. */

export const findUploadedLetter = selectUploadedLetter;

/** The id that a notification is stored under; any other id is given back as it is. */
export async function storedId(db: Db, serviceId: string, id: string): Promise<string> {
  return (await selectUploadedLetter(db, serviceId, id)) ?? id;
}

export function recordUploadedLetter(tx: Tx, letter: NewNotification, file_id: string): Promise<void> {
  const { id: notification_id, service_id, created_at } = letter;
  return insertUploadedLetter(tx, { service_id, file_id, notification_id, created_at });
}

/** Of several requests for one file the first sends the letter. No header holds a line break, so nobody else has this key. */
export function claimOfFile(fileId: string): IdempotencyClaim {
  return { key: `file_id\n${fileId}`, request_digest: 'file_id' };
}

const keptForDays = 365;

/** As long as the printer's references: until then a letter may come back. */
export async function deleteOldUploadedLetters({ db, clock }: Pick<Platform, 'db' | 'clock'>): Promise<void> {
  await deleteUploadedLettersBefore(db, timestamp(earlier(clock.now(), keptForDays * day_ms)));
}
