import { listReturnedLettersById, type ReturnedLettersTask } from '../../letters/returned/returned-letters.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { announceReturnedLetter } from '../callbacks/service-callbacks.ts';

export function createReturnedLetterCallbacks(app: Platform, { notification_ids }: ReturnedLettersTask): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    const letters = await listReturnedLettersById(tx, notification_ids);
    for (const letter of letters) await announceReturnedLetter(tx, letter, app.clock.now());
  });
}
