import { letterFiles } from '../notifications/letter-work.ts';
import type { Platform } from '../platform/platform.ts';
import { sheetsOf } from '../rendering/letter-pdf.ts';
import { maximumPages } from '../rendering/pdf-check.ts';
import type { CompiledTemplates } from '../templates/compiled-templates.ts';
import { orderOfLetter } from './letter-document.ts';
import { type LetterResult, type LetterResults, nothingFound } from './letter-results.ts';
import { type Letter, selectLetter } from './letters.sql.ts';
import type { PdfThreads } from './pdf-threads.ts';

type Needs = Pick<Platform, 'db' | 'clock' | 'files'> & {
  compiledTemplates: CompiledTemplates;
  pdfThreads: PdfThreads;
  letterResults: LetterResults;
};

/** Draws an accepted letter, keeps it, and counts its sheets. Asked again, it draws the same bytes. */
export async function composeLetter(app: Needs, notificationId: string): Promise<void> {
  const letter = await selectLetter(app.db, notificationId);
  if (letter?.status !== 'created' || letter.precompiled || letter.billable_units > 0) return;
  const { document, logo, attachments, incomplete } = await orderOfLetter(app, letter);
  if (incomplete) throw new Error('the attachment of the letter is not among the files');
  const { pdf, page_count } = await app.pdfThreads.run('composeLetter', document, {
    purpose: 'print',
    created_at: new Date(letter.created_at),
    attachments,
    logo,
  });
  await app.files.put(letterFiles.finished(letter.id), pdf);
  await app.letterResults.add(resultOf(letter, page_count, app.clock.now()));
}

function resultOf(letter: Letter, page_count: number, now: Date): LetterResult {
  if (page_count > maximumPages) {
    const change = { status: 'validation-failed', billable_units: 0 } as const;
    return { id: letter.id, change, found: { page_count, message: 'letter-too-long', invalid_pages: null } };
  }
  return { id: letter.id, change: ready(letter, page_count, now), found: { ...nothingFound, page_count } };
}

/** A live letter waits for the next print run; one sent with a test key has arrived, and costs nothing. */
export function ready({ key_type }: Pick<Letter, 'key_type'>, page_count: number, now: Date) {
  if (key_type === 'test') return { status: 'delivered', billable_units: 0, sent_at: now } as const;
  return { status: 'created', billable_units: sheetsOf(page_count) } as const;
}
