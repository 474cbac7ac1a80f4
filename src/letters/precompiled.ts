import { letterFiles } from '../notifications/letter-work.ts';
import { recordStatusChanges, type StatusChange } from '../notifications/status.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { VirusScanner } from '../platform/virus-scan.ts';
import { WorkerFailure } from '../platform/worker-pool.ts';
import { checkPostalAddress, parsePostalAddress, postageForAddress } from '../recipients/postal-address.ts';
import {
  judgePrecompiled,
  type PrecompiledCheck,
  type PrecompiledReading,
  unreadablePrecompiled,
} from '../rendering/pdf-check.ts';
import { ready } from './compose.ts';
import { type Letter, type LetterFile, selectLetter, upsertLetterFile } from './letters.sql.ts';
import type { PdfThreads } from './pdf-threads.ts';

type Needs = Pick<Platform, 'db' | 'clock' | 'files' | 'log'> & {
  pdfThreads: PdfThreads;
  virusScanner: VirusScanner;
};

/** Scans an uploaded letter, checks that it can be printed and posted, and prepares it. */
export async function checkPrecompiledLetter(app: Needs, notificationId: string): Promise<void> {
  const letter = await selectLetter(app.db, notificationId);
  if (!letter) return;
  // A cancelled letter is not checked any more, but its file is known and will be deleted with it.
  if (letter.status !== 'pending-virus-check') return recordFile(app, letter);
  const pdf = await app.files.get(letterFiles.uploaded(letter.id));
  if (!pdf) throw new Error('the uploaded letter is not among the files');
  if ((await app.virusScanner.scan(pdf)) === 'infected') return recordInfected(app, letter);
  const check = judgePrecompiled(await read(app, pdf), (lines) => readAddress(letter, lines));
  if (check.message !== null || check.recipient_address === null) return recordRefused(app, letter, check);
  await recordAccepted(app, letter, pdf, check.recipient_address, check.page_count ?? 0);
}

async function read({ pdfThreads, log }: Needs, pdf: Uint8Array): Promise<PrecompiledReading> {
  try {
    return await pdfThreads.run('readPrecompiled', pdf, 'letter');
  } catch (error) {
    if (!(error instanceof WorkerFailure) || error.reason === 'closed') throw error;
    log.warn({ reason: error.reason }, 'an uploaded letter was too much for a thread');
    return unreadablePrecompiled;
  }
}

function readAddress({ international_letters }: Letter, lines: string[]) {
  const address = parsePostalAddress(lines);
  const problem = checkPostalAddress(address, { international: international_letters });
  return problem ? { problem } : { lines: [...address.lines] };
}

function recordInfected(app: Needs, letter: Letter): Promise<void> {
  app.log.warn({ notification_id: letter.id, service_id: letter.service_id }, 'an uploaded letter holds a virus');
  return record(app, letter, { status: 'virus-scan-failed', billable_units: 0 });
}

function recordRefused(app: Needs, letter: Letter, check: PrecompiledCheck): Promise<void> {
  const { page_count, message, invalid_pages } = check;
  return record(
    app,
    letter,
    { status: 'validation-failed', billable_units: 0 },
    { page_count, message, invalid_pages },
  );
}

async function recordAccepted(
  app: Needs,
  letter: Letter,
  pdf: Uint8Array,
  recipient: string,
  page_count: number,
): Promise<void> {
  const address = parsePostalAddress(recipient.split('\n'));
  // What was sent with a test key is never printed: its sender gets back the very bytes that were uploaded.
  if (letter.key_type !== 'test') {
    await app.files.put(letterFiles.finished(letter.id), await app.pdfThreads.run('addTag', pdf));
  }
  const change = {
    ...ready(letter, page_count, app.clock.now()),
    recipient,
    normalised_recipient: recipient.toLowerCase().replaceAll(/\s/g, ''),
    postage: postageForAddress(address, letter.postage ?? 'second'),
    international: address.international,
  };
  await record(app, letter, change, { page_count, message: null, invalid_pages: null });
}

type Found = Pick<LetterFile, 'page_count' | 'message' | 'invalid_pages'>;
const nothingFound: Found = { page_count: null, message: null, invalid_pages: null };

async function record(
  app: Needs,
  letter: Letter,
  change: Omit<StatusChange, 'id' | 'because'>,
  found: Found = nothingFound,
): Promise<void> {
  const now = app.clock.now();
  await inTransaction(app.db, async (tx) => {
    await recordStatusChanges(tx, [{ id: letter.id, because: 'checked', ...change }], now);
    await upsertLetterFile(tx, { notification_id: letter.id, ...found, created_at: timestamp(now) });
  });
}

async function recordFile(app: Needs, letter: Letter): Promise<void> {
  if (letter.status !== 'cancelled') return;
  const created_at = timestamp(app.clock.now());
  await inTransaction(app.db, (tx) =>
    upsertLetterFile(tx, { notification_id: letter.id, ...nothingFound, created_at }),
  );
}
