<<<<<<< HEAD
import {
  announceReturnedLetters,
  listReturnedLettersById,
  type ReturnedLettersJob,
} from '../letters/returned-letters.ts';
import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { announceReturnedLetter } from './service-callbacks.ts';

export function returnedLettersJob(app: Platform): Job {
  const job: Job<ReturnedLettersJob> = {
    name: announceReturnedLetters,
    sentence: 'Tells services about letters that came back.',
    handle: ({ notification_ids }) =>
      inTransaction(app.db, async (tx) => {
        const letters = await listReturnedLettersById(tx, notification_ids);
        for (const letter of letters) await announceReturnedLetter(tx, letter, app.clock.now());
      }),
  };
  return job as Job;
=======
import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { selectAnnouncedLetters } from './returned-letters.sql.ts';
import { announce } from './service-callbacks.ts';

export function returnedLettersJob(app: Platform): Job {
  return {
    name: 'announce-returned-letters',
    sentence: 'Tells services about letters that the post brought back.',
    handle: (payload) => announceReturnedLetters(app, (payload as { notification_ids: string[] }).notification_ids),
  };
}

async function announceReturnedLetters(app: Platform, ids: string[]): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const letters = await selectAnnouncedLetters(tx, ids);
    const events = letters.map(({ service_id, ...letter }) => ({
      service_id,
      subject_id: letter.notification_id,
      // Letters here come from the API alone; the fields of spreadsheets and uploads belong to the protocol.
      body: { ...letter, spreadsheet_file_name: null, spreadsheet_row_number: null, upload_letter_file_name: null },
    }));
    await announce(tx, 'returned_letter', events, app.clock.now());
  });
>>>>>>> 7094d90 (Printer's reports, letters that come back, outbox page, visible unsubscribe link)
}
