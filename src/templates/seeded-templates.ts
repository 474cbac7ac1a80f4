import { isDeepStrictEqual } from 'node:util';
import { english } from '../language/language.ts';
import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { seededAt } from '../platform/db/seed.ts';
import type { TemplateVariant } from './languages/languages.ts';
import { markVariantsSeeded, selectSeededVariants } from './languages/variants.sql.ts';
import { insertTemplate, lockTemplate, type NewTemplate, selectTexts, updateTemplates } from './templates.sql.ts';

export interface SeededText {
  subject: string | null;
  content: string;
}

interface SeededTemplate
  extends SeededText,
    Pick<NewTemplate, 'id' | 'service_id' | 'name' | 'template_type' | 'process_type' | 'created_by_id'> {
  formerly: SeededText[];
  translations?: TemplateVariant[];
}

/**
 * Inserts missing templates. If a template still has the text of an earlier release, creates a version with the current text; any other
 * text was written by a user and is kept. Releases that run side by side do not undo each other, because the earlier one does not know the
 * text of the later one.
 */
export async function seedTemplates(tx: Tx, templates: SeededTemplate[], now: Date): Promise<void> {
  const ids = templates.map(({ id }) => id);
  const stored = await selectTexts(tx, ids);
  for (const template of templates) {
    const text = stored.get(template.id);
    if (text === undefined) await insertSeeded(tx, template);
    else if (isFormer(template, text)) await replaceFormer(tx, template, now);
    if (template.translations?.length) await seedTranslations(tx, template, template.translations, now);
  }
}

function insertSeeded(tx: Tx, { formerly: _, translations: __, ...template }: SeededTemplate): Promise<void> {
  return insertTemplate(tx, {
    ...template,
    folder: null,
    postage: null,
    reply_to: null,
    letter_languages: null,
    letter_welsh_subject: null,
    letter_welsh_content: null,
    has_unsubscribe_link: false,
    created_at: timestamp(seededAt),
  });
}

function isFormer({ formerly }: SeededTemplate, { subject, content }: SeededText): boolean {
  return formerly.some((text) => text.subject === subject && text.content === content);
}

async function replaceFormer(tx: Tx, template: SeededTemplate, now: Date): Promise<void> {
  const { id, subject, content, created_by_id } = template;
  await lockTemplate(tx, id);
  const text = (await selectTexts(tx, [id])).get(id);
  if (text === undefined || !isFormer(template, text)) return;
  await updateTemplates(tx, { id }, { subject, content, created_by_id }, timestamp(now));
}

/**
 * Adds translations if the template has our current text and nobody has changed or removed a translation. Keeps translations into languages
 * that are no longer offered.
 */
async function seedTranslations(
  tx: Tx,
  { id, subject, content, created_by_id }: SeededTemplate,
  translations: readonly TemplateVariant[],
  now: Date,
): Promise<void> {
  await lockTemplate(tx, id);
  const text = (await selectTexts(tx, [id])).get(id);
  const stored = await selectSeededVariants(tx, id);
  if (stored === undefined || text?.subject !== subject || text.content !== content) return;
  const variants = new Map(stored.map((variant) => [variant.language, variant]));
  for (const translation of translations) variants.set(translation.language, translation);
  const sorted = [...variants.values()].sort((a, b) => (a.language < b.language ? -1 : 1));
  if (isDeepStrictEqual(sorted, stored)) return;
  const languages = { enabled: true, default: english.tag, field: null, refuse_unknown: false, variants: sorted };
  await updateTemplates(tx, { id }, { languages, created_by_id }, timestamp(now));
  await markVariantsSeeded(tx, id);
}
