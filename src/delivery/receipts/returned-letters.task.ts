import {
  announceReturnedLetters,
  listReturnedLettersById,
  type ReturnedLettersJob,
} from '../../letters/returned/returned-letters.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/worker.ts';
import { announceReturnedLetter } from '../callbacks/service-callbacks.ts';

export function returnedLettersJob(app: Platform): Job {
  const job: Job<ReturnedLettersJob> = {
    name: announceReturnedLetters,
    description: 'Creates the callbacks for returned letters.',
    handle: ({ notification_ids }) =>
      inTransaction(app.db, async (tx) => {
        const letters = await listReturnedLettersById(tx, notification_ids);
        for (const letter of letters) await announceReturnedLetter(tx, letter, app.clock.now());
      }),
  };
  return job as Job;
}
