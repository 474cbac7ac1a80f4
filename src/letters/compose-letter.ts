import type { StatusChange } from '../notifications/notification.ts';
import { recordStatusChanges } from '../notifications/status.ts';
import { letterFiles } from '../notifications/tasks-for-others.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { isDatabaseUnavailable } from '../platform/db/errors.ts';
import { GroupCommit } from '../platform/db/group-commit.ts';
import type { Platform } from '../platform/platform.ts';
import { maxPages, sheetsOf } from '../rendering/pdf/letter-geometry.ts';
import type { CompiledTemplates } from '../templates/compiled-templates.ts';
import { renderInputOfLetter } from './letter-document.ts';
import { type Letter, type LetterFile, selectLetter, upsertLetterFiles } from './letters.sql.ts';
import type { PdfThreads } from './pdf-threads.ts';
import { letterReference } from './print/print-provider.ts';
import type { PrintSettings } from './settings.ts';

/** The result of processing a letter's file. `change` is undefined if the letter was cancelled in the meantime. */
export interface LetterResult {
  id: string;
  change?: Omit<StatusChange, 'id' | 'event'>;
  found: Pick<LetterFile, 'page_count' | 'message' | 'invalid_pages'>;
}

export const nothingFound: LetterResult['found'] = { page_count: null, message: null, invalid_pages: null };

export type LetterResults = GroupCommit<LetterResult, void>;

/** Letters that finish at the same time share a commit, which leaves database connections for requests. */
export function createLetterResults({ db, clock, country }: Platform): LetterResults {
  return new GroupCommit({
    maxItems: 100,
    maxConcurrent: 1,
    affectsAll: isDatabaseUnavailable,
    async commit(results) {
      const now = clock.now();
      const created_at = timestamp(now);
      const changes = results.flatMap(({ id, change }) =>
        change ? [{ id, event: 'checked' as const, ...change }] : [],
      );
      await inTransaction(db, async (tx) => {
        await recordStatusChanges(country, tx, changes, now);
        await upsertLetterFiles(
          tx,
          results.map(({ id, found }) => ({ notification_id: id, ...found, created_at })),
        );
      });
      return results.map(() => undefined);
    },
  });
}

type Deps = Platform & {
  config: { letters: PrintSettings };
  compiledTemplates: CompiledTemplates;
  pdfThreads: PdfThreads;
  letterResults: LetterResults;
};

/** Renders an accepted letter, stores the PDF and counts its sheets. Idempotent: a second run produces the same bytes. */
export async function renderLetter(app: Deps, notificationId: string): Promise<void> {
  const letter = await selectLetter(app.db, notificationId);
  if (letter?.status !== 'created' || letter.precompiled || letter.billable_units > 0) return;
  const { document, logo, attachments, incomplete } = await renderInputOfLetter(app, letter);
  if (incomplete) throw new Error('the file of the letter attachment is missing');
  if (letter.letter_branding_id && !logo) {
    app.log.warn(
      { event: 'letter.logo_missing', letter_branding_id: letter.letter_branding_id, service_id: letter.service_id },
      'A letter is printed without a logo, because its brand has none: upload it on the page of the brand',
    );
  }
  const { pdf, page_count } = await app.pdfThreads.inBackground(letter.service_id).run('composeLetter', document, {
    purpose: 'print',
    geometry: app.country.letter.geometry,
    created_at: new Date(letter.created_at),
    attachments,
    logo,
  });
  await app.files.put(letterFiles.finished(letter.id), pdf);
  await app.letterResults.add(resultOf(app, letter, page_count));
}

function resultOf(app: Deps, letter: Letter, page_count: number): LetterResult {
  if (page_count > maxPages) {
    const change = { status: 'validation-failed', billable_units: 0 } as const;
    return { id: letter.id, change, found: { page_count, message: 'letter-too-long', invalid_pages: null } };
  }
  return { id: letter.id, change: ready(app, letter, page_count), found: { ...nothingFound, page_count } };
}

/** A live letter waits for the next print run. A letter of a test key is delivered immediately and free of charge. */
export function ready(
  { clock, config }: Pick<Deps, 'clock' | 'config'>,
  { id, key_type }: Pick<Letter, 'id' | 'key_type'>,
  page_count: number,
) {
  if (key_type === 'test') {
    const printed = { provider: config.letters.printer, provider_reference: letterReference(id) };
    return { status: 'delivered', billable_units: 0, sent_at: clock.now(), ...printed } as const;
  }
  return { status: 'created', billable_units: sheetsOf(page_count) } as const;
}
