import type { Country } from '../countries/country.ts';
import { type CompiledTemplate, compileTemplate, type TemplateSource } from '../rendering/template.ts';
import type { TemplateVariant } from './languages/languages.ts';
import { alphabetOf } from './languages/text-alphabet.ts';
import type { TemplateRow } from './template-row.ts';

/** Compiles a stored template. Its placeholders do not depend on the alphabet. */
export function compileRow(
  row: TemplateRow,
  contactBlock = row.reply_to_text,
  country?: Pick<Country, 'sms'>,
  language: string | null = null,
): CompiledTemplate {
  return compileTemplate(sourceOf(row, contactBlock, country, language));
}

/** The texts of a template in one language, as a value that can be passed to a thread. */
export function sourceOf(
  row: TemplateRow,
  contactBlock: string | null,
  country: Pick<Country, 'sms'> | undefined,
  language: string | null,
): TemplateSource {
  const { template_type, letter_welsh_subject, letter_welsh_content } = row;
  const { subject, content } = textIn(row, language);
  const welsh = row.letter_languages === 'welsh_then_english' ? { letter_welsh_subject, letter_welsh_content } : {};
  return {
    ...{ template_type, subject, content, ...welsh, contact_block: contactBlock },
    ...(country ? { alphabet: alphabetOf(country, row.keeps_characters) } : {}),
    dialect: row.api_dialect,
    ...(row.languages ? { language: language ?? row.languages.default } : {}),
  };
}

export function textIn(row: TemplateRow, language: string | null): Pick<TemplateVariant, 'subject' | 'content'> {
  if (language === null) return row;
  const variant = row.languages?.variants.find((candidate) => candidate.language === language);
  if (!variant) throw new Error(`Version ${row.version} of template ${row.id} has no text in ${language}`);
  return variant;
}
