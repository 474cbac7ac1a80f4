import { addDays } from '../countries/calendar.ts';
import type { Country } from '../countries/country.ts';
import { recordStatusChanges } from '../notifications/status.ts';
import { letterFiles } from '../notifications/tasks-for-others.ts';
import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import {
  clearLetterReferences,
  deleteLetterFiles,
  insertLetterFilesIfMissing,
  selectLettersInTransit,
  selectOrphanedLetterFiles,
} from './letters.sql.ts';
import { letterReference, type PrintProvider } from './print/print-provider.ts';
import { deletePrintedLettersBefore } from './print/print-run.sql.ts';

const batchSize = 500;
const printedKeptForDays = 365;
const sandboxKeptForDays = 7;

type Deps = Platform & { printer: PrintProvider };

/** No status update is expected for a letter after this time. */
const maxAgeDays = 90;

/**
 * Ends letters without a final status after 90 days. A letter that was handed to the printer was charged and counts as delivered, because a
 * printer that collects letters from a folder may never report them. A letter that was never handed over fails.
 */
export async function endOldLetters(app: Platform): Promise<void> {
  const now = app.clock.now();
  const before_id = firstIdAt(earlier(now, maxAgeDays * day_ms));
  for (;;) {
    const letters = await selectLettersInTransit(app.db, before_id, batchSize);
    if (letters.length === 0) return;
    const idsOf = (handedOver: boolean) =>
      letters.filter(({ status }) => (status === 'sending') === handedOver).map(({ id }) => id);
    const posted = idsOf(true).map((id) => ({ id, status: 'delivered', event: 'despatched' }) as const);
    await inTransaction(app.db, async (tx) => {
      await recordStatusChanges(app.country, tx, posted, now);
      await failLetters(app.country, tx, idsOf(false), now);
    });
    app.log.warn(
      { event: 'letters.expired', letters: letters.length, handed_over: posted.length },
      'Letters without a final status were ended after 90 days',
    );
  }
}

/** Sets the letters to technical-failure and records their uploaded files, so that these are deleted with the letters. */
export async function failLetters(country: Country, tx: Tx, ids: string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const changes = ids.map((id) => ({ id, status: 'technical-failure', event: 'givenUp' }) as const);
  const changed = await recordStatusChanges(country, tx, changes, now);
  await insertLetterFilesIfMissing(
    tx,
    changed.map(({ id }) => id),
    timestamp(now),
  );
}

/** Deletes the files of deleted letters, whatever the service's retention, and the printer's references after a year. */
export async function cleanLetters(app: Deps): Promise<void> {
  let deleted = 0;
  for (;;) {
    const ids = await selectOrphanedLetterFiles(app.db, batchSize);
    if (ids.length === 0) break;
    for (const id of ids) {
      await app.files.remove(letterFiles.finished(id));
      await app.files.remove(letterFiles.uploaded(id));
    }
    await deleteLetterFiles(app.db, ids);
    deleted += ids.length;
  }
  await deletePrintedLettersBefore(app.db, timestamp(earlier(app.clock.now(), printedKeptForDays * day_ms)));
  await app.printer.deleteBefore?.(addDays(app.country.calendar.day(app.clock.now()), -sandboxKeptForDays));
  app.log.info({ event: 'letters.cleaned', letters: deleted }, 'Files of deleted letters were deleted');
}

/**
 * Clears the services' own references of erased letters, which may name a person. The printer's references are kept, because letters may be
 * returned.
 */
export function eraseLetterReferences(tx: Tx, ids: string[]): Promise<void> {
  return clearLetterReferences(tx, ids, ids.map(letterReference));
}

/** Deletes the PDFs of erased letters and returns their number. Not transactional: a rollback does not restore them. */
export async function eraseLetterFiles({ files }: Platform, ids: string[]): Promise<number> {
  let erased = 0;
  for (const path of ids.flatMap((id) => [letterFiles.finished(id), letterFiles.uploaded(id)])) {
    if ((await files.get(path)) === undefined) continue;
    await files.remove(path);
    erased += 1;
  }
  return erased;
}
