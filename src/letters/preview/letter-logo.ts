import { createHash } from 'node:crypto';
import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { createLetterBranding, getLetterBranding, updateLetterBranding } from '../../branding/letter-branding.ts';
import { currentActor } from '../../platform/db/actor.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { WorkerFailure } from '../../platform/threads/thread.ts';
import type { LogoProblem } from '../../rendering/letter/logo.ts';
import type { PdfThreads } from '../pdf-threads.ts';

type Deps = Platform & { pdfThreads: PdfThreads };

/** Named by id, because the file name in the branding is free text and can change. */
export const logoFile = (brandingId: string) => `letter-branding/${brandingId}.svg`;

const refusals: Record<LogoProblem, string> = {
  'too-large': 'Longer than maximum length 1000000.',
  'not-an-svg': 'Not a valid SVG.',
  'cannot-be-drawn': 'This SVG cannot be drawn.',
  'has-script': 'This SVG contains a script. Export it again as plain SVG.',
  'has-event-handler': 'This SVG contains event handlers, such as onclick. Export it again as plain SVG.',
  'has-foreign-content': 'This SVG contains foreign content, such as HTML. Convert it to shapes.',
  'has-picture': 'This SVG contains a picture, which would not be printed. Convert it to shapes.',
  'has-animation': 'This SVG contains an animation. Export it without.',
  'has-reference': 'This SVG refers to something outside of it, such as a web address. Embed it as shapes.',
  'has-entities': 'This SVG declares entities. Export it again as plain SVG.',
};

/** Applies to letters rendered from now on; rendered letters do not change. */
export async function putLogo(app: Deps, brandingId: string, svg: string): Promise<void> {
  const { id } = await getLetterBranding(app.db, brandingId);
  await refuseBadLogo(app, svg, 'svg');
  await replaceLogo(app, id, svg, (record) => inTransaction(app.db, record));
}

/** Creates the brand and its logo atomically. */
export async function createBrandWithLogo(
  app: Deps,
  brand: { name: string; filename: string; created_by_id: string },
  svg: string,
) {
  await refuseBadLogo(app, svg, 'logo');
  const id = newId(app.clock.now());
  return replaceLogo(app, id, svg, () => createLetterBranding(app, { ...brand, id }));
}

/** Changes the name and, if there is a new one, the logo, atomically. */
export async function updateBrandWithLogo(
  app: Deps,
  id: string,
  change: { name: string; updated_by_id: string },
  svg: string | undefined,
): Promise<void> {
  if (svg !== undefined) await refuseBadLogo(app, svg, 'logo');
  const { filename } = await getLetterBranding(app.db, id);
  const update = (record?: (tx: Tx) => Promise<void>) => updateLetterBranding(app, id, { ...change, filename }, record);
  await (svg === undefined ? update() : replaceLogo(app, id, svg, update));
}

/**
 * Stores the file before the transaction, so that no connection waits for the file store, and restores the old file if the transaction
 * fails. Files have no audit trigger, so `write` adds the audit log entry to its transaction.
 */
async function replaceLogo<T>(
  { files }: Deps,
  id: string,
  svg: string,
  write: (record: (tx: Tx) => Promise<void>) => Promise<T>,
): Promise<T> {
  const path = logoFile(id);
  const [before, after] = [await files.get(path), Buffer.from(svg, 'utf8')];
  await files.put(path, after);
  try {
    return await write((tx) => recordLogo(tx, id, before, after));
  } catch (error) {
    await (before ? files.put(path, before) : files.remove(path));
    throw error;
  }
}

async function recordLogo(tx: Tx, id: string, before: Buffer | undefined, after: Buffer): Promise<void> {
  if (currentActor() === undefined) return;
  const entry = { action: 'update', noun: 'letter_branding', thing_id: id } as const;
  await recordAuditEntry(tx, { ...entry, before: { logo: described(before) }, after: { logo: described(after) } });
}

function described(logo: Buffer | undefined): string | null {
  return logo ? `${logo.length} bytes, SHA-256 ${createHash('sha256').update(logo).digest('hex')}` : null;
}

async function refuseBadLogo(app: Deps, svg: string, field: string): Promise<void> {
  const problem = await checkLogo(app, svg);
  if (problem) throw invalidField(field, refusals[problem]);
}

async function checkLogo({ pdfThreads }: Deps, svg: string) {
  try {
    return await pdfThreads.forRequest('letter-branding').run('checkLogo', svg);
  } catch (error) {
    // An SVG that crashes a thread here would crash one for every letter.
    if (error instanceof WorkerFailure && error.reason !== 'closed') return 'cannot-be-drawn';
    throw error;
  }
}

export async function findLogo(app: Omit<Deps, 'pdfThreads'>, brandingId: string): Promise<Buffer | undefined> {
  const { id } = await getLetterBranding(app.db, brandingId);
  return app.files.get(logoFile(id));
}

export async function getLogo(app: Deps, brandingId: string): Promise<Buffer> {
  const svg = await findLogo(app, brandingId);
  if (!svg) throw notFound('This letter branding has no logo');
  return svg;
}
