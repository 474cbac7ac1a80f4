import type { Country } from '../../countries/country.ts';
import { recordStatusChanges } from '../../notifications/status.ts';
import { letterFiles } from '../../notifications/tasks-for-others.ts';
import { later, minute_ms, timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/queue/queue.ts';
import type { Urls } from '../../platform/settings.ts';
import { selectPrintableLetters } from '../letters.sql.ts';
import type { PrintSettings } from '../settings.ts';
import { readDaysWithoutPrinting } from './days-without-printing.ts';
import { recordDespatches } from './despatch.ts';
import { letterFileName, letterReference, type PrintedFile, type PrintProvider } from './print-provider.ts';
import { insertPrintedLetters, type LetterToPrint, recordPrintDays, selectLettersToPrint } from './print-run.sql.ts';
import { printerCallbackUrl } from './printer-callback.ts';

type Deps = Platform & {
  config: { letters: PrintSettings; urls: Urls };
  printer: PrintProvider;
};

interface Batch {
  day: string;
  notification_ids: string[];
}

export const printBatch: Task<Batch> = {
  name: 'print-letters',
  description: 'Hands one batch of letters to the printer.',
  maxAttempts: 25,
};

export const despatchBatch: Task<Pick<Batch, 'notification_ids'>> = {
  name: 'despatch-letters',
  description: 'Simulates the printer in the sandbox: reports a batch as posted.',
  maxAttempts: 25,
};

const lettersPerBatch = 100;

/**
 * Sends everything accepted before the cut-off of a working day to the printer. Runs several times after it, to include letters that were
 * still being rendered and to catch up after downtime.
 */
export async function collateLetters(app: Deps): Promise<void> {
  await readDaysWithoutPrinting(app);
  const run = app.country.letterDays.findCurrentRun(app.clock.now());
  if (!run) return;
  const ids = await selectPrintableLetters(app.db, timestamp(run.cutOff));
  for (let start = 0; start < ids.length; start += lettersPerBatch) {
    await addBatch(app, { day: run.day, notification_ids: ids.slice(start, start + lettersPerBatch) });
  }
  app.log.info({ event: 'letters.collated', letters: ids.length, day: run.day }, 'Letters were collated for printing');
}

/**
 * Returns the schedule of `collate-letters` where its default hours in London do not fit: every 20 minutes, including the cut-off itself,
 * because runs without letters do nothing. With continuous printing, every five minutes.
 */
export function collatingTimes({ calendar, letter }: Country, now: Date): string | undefined {
  if (letter.cutOff === 'continuous') return '*/5 * * * *';
  if (calendar.zone === 'Europe/London' && letter.cutOff === '17:30') return undefined;
  const ahead_min = calendar.standardOffset_ms(now) / minute_ms;
  const first = (((Number(letter.cutOff.slice(3)) - ahead_min) % 20) + 20) % 20;
  return `${[first, first + 20, first + 40].join(',')} * * * *`;
}

/** Prints a letter in its own batch without waiting for the print run, because the sandbox has no cut-off. */
export function printInSandbox(app: Platform, notificationId: string): Promise<void> {
  return addBatch(app, { day: app.country.calendar.day(app.clock.now()), notification_ids: [notificationId] });
}

async function addBatch({ queue, db }: Platform, batch: Batch): Promise<void> {
  const { name } = printBatch;
  // A serial queue, so that two batches that share a letter never run concurrently.
  await queue.add(db, printBatch, batch, { serialQueue: name, key: `${name} ${batch.notification_ids[0]}` });
}

interface Printable {
  letter: LetterToPrint;
  file: PrintedFile;
}

/**
 * Hands over a batch, then records it. After a failure in between, the same files are handed over again with the same names and folder as
 * in the first attempt: a printer that already has some of them finds them there, not in the folder of another day.
 */
export async function printLetters(app: Deps, { day, notification_ids }: Batch): Promise<void> {
  const letters = await selectLettersToPrint(app.country, app.db, notification_ids);
  const printable: Printable[] = [];
  for (const letter of letters) {
    const file = await fileOf(app, letter);
    if (file) printable.push({ letter, file });
  }
  if (printable.length === 0) return;
  const ids = printable.map(({ letter }) => letter.id);
  const days = await recordPrintDays(app.db, ids, { day, now: timestamp(app.clock.now()) });
  for (const run of new Set(days.values())) {
    const ofDay = printable.filter(({ letter }) => days.get(letter.id) === run);
    await app.printer.handOver({ day: run, letters: ofDay.map(({ file }) => file) });
    await recordPrinted(
      app,
      ofDay.map(({ letter }) => letter),
    );
  }
}

async function fileOf(app: Deps, letter: LetterToPrint): Promise<PrintedFile | undefined> {
  const { id, postage, billable_units: sheets, created_at } = letter;
  const pdf = await app.files.get(letterFiles.finished(id));
  if (!pdf) {
    app.log.error(
      { event: 'letter.file_missing', notification_id: id },
      'A letter was not printed because its file is missing',
    );
    return undefined;
  }
  const reference = letterReference(id);
  const name = letterFileName(app.country, reference, postage, new Date(created_at));
  return { reference, notification_id: id, name, postage, sheets, callback_url: printerCallbackUrl(app, id), pdf };
}

async function recordPrinted(app: Deps, letters: LetterToPrint[]): Promise<void> {
  const now = app.clock.now();
  const provider = app.config.letters.printer;
  const changes = letters.map(({ id }) => ({
    id,
    status: 'sending' as const,
    event: 'handedOver' as const,
    provider,
    provider_reference: letterReference(id),
    sent_at: now,
  }));
  await inTransaction(app.db, async (tx) => {
    await recordStatusChanges(app.country, tx, changes, now);
    const rows = letters.map(({ postage: _postage, billable_units: _sheets, id, ...letter }) => ({
      ...letter,
      notification_id: id,
      reference: letterReference(id),
      printed_at: timestamp(now),
    }));
    await insertPrintedLetters(tx, rows);
    const delay_ms = app.printer.despatchesItselfAfter_ms;
    if (delay_ms === undefined) return;
    const options = delay_ms > 0 ? { runAt: later(now, delay_ms) } : {};
    await app.queue.add(tx, despatchBatch, { notification_ids: letters.map(({ id }) => id) }, options);
  });
}

/** The sandbox has no printer, so a batch counts as posted when its task runs. */
export async function despatchInSandbox(
  app: Platform,
  { notification_ids }: Pick<Batch, 'notification_ids'>,
): Promise<void> {
  const now = app.clock.now();
  const despatches = notification_ids.map((notification_id) => ({
    notification_id,
    despatched_at: now,
    cost_threshold: 'unsorted' as const,
  }));
  await inTransaction(app.db, (tx) => recordDespatches(app.country, tx, despatches, now));
}
