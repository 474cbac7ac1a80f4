import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { normaliseRecipient } from '../recipients/recipient.ts';
import { deleteParts, insertPart, lockParts, selectParts, type TextOfParts } from './received-parts.sql.ts';

/** Longer than a network tries to deliver the last part. Then a phone may use the number again. */
export const partsRetention_ms = day_ms;

/** Keeps one part of a text. Returns the whole text with its last part, and undefined before. */
export async function joinReceivedParts(
  tx: Tx,
  { nth, content, ...given }: TextOfParts & { nth: number; content: string },
  now: Date,
): Promise<string | undefined> {
  const text = { ...given, user_number: normaliseRecipient(given.user_number) };
  await lockParts(tx, text);
  await insertPart(tx, { ...text, nth, content, received_at: timestamp(now) });
  const contents = await selectParts(tx, text, timestamp(earlier(now, partsRetention_ms)));
  if (contents.length < text.total) return undefined;
  await deleteParts(tx, text);
  return contents.join('');
}
