import { letterFiles } from '../notifications/letter-work.ts';
import { addDays, londonDay } from '../platform/calendar.ts';
import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteLetterFiles, selectOrphanedLetterFiles } from './letters.sql.ts';
import type { PrintProvider } from './print-provider.ts';
import { deletePrintedLettersBefore } from './print-run.sql.ts';

const atOnce = 500;
const printedKeptForDays = 365;
const sandboxKeptForDays = 7;

type Needs = Pick<Platform, 'db' | 'files' | 'clock' | 'log'> & { printer: PrintProvider };

/** Files go when their letter has gone, however long its service keeps letters; the printer's references after a year. */
export async function cleanLetters(app: Needs): Promise<void> {
  let deleted = 0;
  for (;;) {
    const ids = await selectOrphanedLetterFiles(app.db, atOnce);
    if (ids.length === 0) break;
    for (const id of ids) {
      await app.files.remove(letterFiles.finished(id));
      await app.files.remove(letterFiles.uploaded(id));
    }
    await deleteLetterFiles(app.db, ids);
    deleted += ids.length;
  }
  await deletePrintedLettersBefore(app.db, timestamp(earlier(app.clock.now(), printedKeptForDays * day_ms)));
  await app.printer.forgetBefore?.(addDays(londonDay(app.clock.now()), -sandboxKeptForDays));
  app.log.info({ letters: deleted }, 'files of deleted letters were deleted');
}
