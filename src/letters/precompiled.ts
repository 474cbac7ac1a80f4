import { letterFiles } from '../notifications/tasks-for-others.ts';
import type { Platform } from '../platform/platform.ts';
import type { VirusScanner } from '../platform/storage/virus-scan.ts';
import { addressRules } from '../recipients/address-rules.ts';
import { evaluatePrecompiled, type PrecompiledCheck } from '../rendering/pdf/pdf-verdict.ts';
import { type LetterResult, type LetterResults, nothingFound, ready } from './compose-letter.ts';
import { type Letter, selectLetter } from './letters.sql.ts';
import { type PdfThreads, readPages } from './pdf-threads.ts';
import type { PrintSettings } from './settings.ts';

type Deps = Platform & {
  config: { letters: PrintSettings };
  pdfThreads: PdfThreads;
  letterResults: LetterResults;
  virusScanner: VirusScanner;
};

/** Scans an uploaded letter, checks that it can be printed and posted, and prepares it. */
export async function checkPrecompiled(app: Deps, notificationId: string): Promise<void> {
  const letter = await selectLetter(app.db, notificationId);
  if (letter?.status === 'pending-virus-check') await app.letterResults.add(await check(app, letter));
  // No check is needed, but with a record its file is deleted with the letter.
  else if (letter?.status === 'cancelled') await app.letterResults.add({ id: letter.id, found: nothingFound });
}

async function check(app: Deps, letter: Letter): Promise<LetterResult> {
  const pdf = await app.files.get(letterFiles.uploaded(letter.id));
  if (!pdf) throw new Error('the file of the uploaded letter is missing');
  if ((await app.virusScanner.scan(pdf)) === 'infected') return infected(app, letter);
  const found = evaluatePrecompiled(
    await readPages(app, app.pdfThreads.inBackground(letter.service_id), pdf, 'letter'),
    (lines) => readAddress(app, letter, lines),
  );
  if (found.message !== null || found.recipient_address === null) return refused(letter, found);
  return accepted(app, letter, pdf, found.recipient_address, found.page_count ?? 0);
}

export function readAddress(
  { country }: Pick<Platform, 'country'>,
  { international_letters }: Pick<Letter, 'international_letters'>,
  lines: string[],
) {
  const rules = addressRules(country);
  const address = rules.parse(lines);
  const problem = rules.check(address, { international: international_letters });
  return problem ? { problem } : { lines: [...address.lines] };
}

function infected(app: Deps, letter: Letter): LetterResult {
  app.log.warn(
    { event: 'letter.infected', notification_id: letter.id, service_id: letter.service_id },
    'An uploaded letter contains a virus',
  );
  return { id: letter.id, change: { status: 'virus-scan-failed', billable_units: 0 }, found: nothingFound };
}

function refused({ id }: Letter, { page_count, message, invalid_pages }: PrecompiledCheck): LetterResult {
  const change = { status: 'validation-failed', billable_units: 0 } as const;
  return { id, change, found: { page_count, message, invalid_pages } };
}

async function accepted(
  app: Deps,
  letter: Letter,
  pdf: Uint8Array,
  recipient: string,
  page_count: number,
): Promise<LetterResult> {
  const rules = addressRules(app.country);
  const address = rules.parse(recipient.split('\n'));
  // A letter of a test key is never printed, so GET returns the bytes as uploaded.
  if (letter.key_type !== 'test') {
    const rewritten = await app.pdfThreads
      .inBackground(letter.service_id)
      .run('rewritePrecompiled', pdf, recipient.split('\n'), app.country.letter.geometry);
    await app.files.put(letterFiles.finished(letter.id), rewritten);
  }
  const change = {
    ...ready(app, letter, page_count),
    recipient,
    normalised_recipient: recipient.toLowerCase().replaceAll(/\s/g, ''),
    postage: rules.postage(address, letter.postage),
    international: address.international,
  };
  return { id: letter.id, change, found: { ...nothingFound, page_count } };
}
