import { timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { selectIncomplete, selectMessageParts, updateDeliveredParts } from './message-parts.sql.ts';

/** The references of messages by those of their parts. Most references are of whole messages and not in it. */
export async function findMessagesOfParts(db: Db | Tx, references: string[]): Promise<Map<string, string>> {
  if (references.length === 0) return new Map();
  const parts = await selectMessageParts(db, references);
  return new Map(parts.map(({ reference, message_reference }) => [reference, message_reference]));
}

/** Records that these parts arrived. Returns the messages, by reference, of which another part has not. */
export async function recordDeliveredParts(
  db: Db | Tx,
  parts: { reference: string; message_reference: string }[],
  now: Date,
): Promise<Set<string>> {
  if (parts.length === 0) return new Set();
  const references = parts.map(({ reference }) => reference);
  const messages = parts.map(({ message_reference }) => message_reference);
  // Two statements: in one, the last two parts, recorded by two processes at once, would not see each other.
  await updateDeliveredParts(db, references, timestamp(now));
  return new Set(await selectIncomplete(db, messages));
}
