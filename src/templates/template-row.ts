import { conditionWords } from '../countries/answers/answers.ts';
import type { Country } from '../countries/country.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Channel } from '../protocol/channels.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import { type CompiledTemplate, compileTemplate, type TemplateSource } from '../rendering/template.ts';
import type { TemplateLanguages, TemplateVariant } from './languages/languages.ts';
import { alphabetOf } from './languages/text-alphabet.ts';

export type ProcessType = 'normal' | 'priority' | 'bulk';
export type LetterLanguages = 'english' | 'welsh_then_english';

export interface LetterAttachment {
  id: string;
  original_filename: string;
  page_count: number;
  created_by_id: string;
  created_at: Timestamp;
  archived_by_id: string | null;
  archived_at: Timestamp | null;
}

/** A file of an email template, as part of the template's record. */
export interface EmailFile {
  id: string;
  filename: string;
  link_text: string | null;
  retention_period: number;
  validate_users_email: boolean;
  pending: boolean;
}

/** A version of a template with its related rows, whether it is the newest or not. */
export interface TemplateRow {
  id: string;
  service: string;
  name: string;
  template_type: Channel;
  subject: string | null;
  content: string;
  version: number;
  archived: boolean;
  hidden: boolean;
  process_type: ProcessType;
  /** One of the categories in `sources/template-categories.ts`. */
  category_id: string | null;
  redact_personalisation: boolean;
  postage: string | null;
  reply_to: string | null;
  /** The template's sender, reply-to address or contact block; defaults to that of the service, except for letters. */
  reply_to_text: string | null;
  letter_languages: LetterLanguages | null;
  letter_welsh_subject: string | null;
  letter_welsh_content: string | null;
  has_unsubscribe_link: boolean;
  letter_attachment: LetterAttachment | null;
  email_files: EmailFile[];
  created_by_id: string;
  created_by_name: string;
  created_by_email_address: string;
  created_at: Timestamp;
  updated_at: Timestamp | null;
  /** Null for a template in one language. */
  languages: TemplateLanguages | null;
  /** The current dialect of the service. */
  api_dialect: ApiDialect;
  /** Whether texts of the service keep characters that the country replaces. */
  keeps_characters: boolean;
}

/** The newest version. Only this one has a folder. */
export interface CurrentTemplateRow extends TemplateRow {
  folder: string | null;
}

/** The result of a lookup by service and template id. The caller decides how to respond. */
export type TemplateLookup<Template> =
  | { found: 'here'; template: Template }
  | { found: 'in-another-service' }
  | { found: 'nowhere' };

/** Finds archived templates, but not hidden ones. */
export function lookUp(row: CurrentTemplateRow | undefined, serviceId: string): TemplateLookup<CurrentTemplateRow> {
  if (!row) return { found: 'nowhere' };
  if (row.service !== serviceId) return { found: 'in-another-service' };
  return row.hidden ? { found: 'nowhere' } : { found: 'here', template: row };
}

/** Returns the key of a file in the file store. */
export function emailFilePath(serviceId: string, fileId: string): string {
  return `template-email-files/${serviceId}/${fileId}`;
}

type WritingRules = Pick<Country, 'sms' | 'answers' | 'languages' | 'locale'>;

/** The words for yes and no, only for a template that needs them. */
export function conditionWordsOf(
  country: Omit<WritingRules, 'sms'>,
  texts: readonly (string | null | undefined)[],
  languages: { default: string; variants: readonly { language: string }[] } | null | undefined,
): Pick<TemplateSource, 'condition_words'> {
  if (!texts.some((text) => text?.includes('??'))) return {};
  const tags = languages ? [languages.default, ...languages.variants.map(({ language }) => language)] : [];
  return { condition_words: conditionWords(country, tags) };
}

/** Compiles a stored template. The placeholders are the same with any alphabet. */
export function compileRow(
  row: TemplateRow,
  contactBlock = row.reply_to_text,
  country?: WritingRules,
  language: string | null = null,
): CompiledTemplate {
  return compileTemplate(sourceOf(row, contactBlock, country, language));
}

/** Returns the texts of a template in one language, as a value that can be passed to a worker thread. */
export function sourceOf(
  row: TemplateRow,
  contactBlock: string | null,
  country: WritingRules | undefined,
  language: string | null,
): TemplateSource {
  const { template_type, letter_welsh_subject, letter_welsh_content } = row;
  const { subject, content } = textIn(row, language);
  const welsh = row.letter_languages === 'welsh_then_english' ? { letter_welsh_subject, letter_welsh_content } : {};
  return {
    ...{ template_type, subject, content, ...welsh, contact_block: contactBlock },
    ...(country ? { alphabet: alphabetOf(country, row.keeps_characters) } : {}),
    ...(country ? conditionWordsOf(country, [subject, content, welsh.letter_welsh_content], row.languages) : {}),
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
