import { OperatorError } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import { maxVariants, readLanguage, type TemplateVariant } from '../../templates/languages/languages.ts';
import { refusalOfContent } from '../../templates/template-checks.ts';
import { maxName, type SettingsReader } from './settings-reader.ts';
import { type TextsInLanguages, withLineFeeds } from './template.ts';

/** The texts of a template in other languages, under `languages` in its file. */

const keys = new Set(['default', 'field', 'refuse_unknown', 'variants']);
const variantKeys = new Set(['language', 'subject', 'content']);

/** Normalises texts to the form in which servers store them, so that equal texts compare as equal. */
export function inOneForm({ default: own, field, refuse_unknown, variants }: TextsInLanguages): TextsInLanguages {
  const texts = variants.map(({ language, subject, content }) => ({
    ...{ language, subject: subject === null ? null : withLineFeeds(subject), content: withLineFeeds(content) },
  }));
  texts.sort((one, other) => (one.language < other.language ? -1 : 1));
  return { default: own, field, refuse_unknown, variants: texts };
}

/** Omits settings that have their default value. */
export function writeLanguages({ default: own, field, refuse_unknown, variants }: TextsInLanguages): object {
  return {
    default: own,
    ...(field === null ? {} : { field }),
    ...(refuse_unknown ? { refuse_unknown } : {}),
    variants: variants.map(({ language, subject, content }) => ({
      ...{ language, ...(subject === null ? {} : { subject }), content },
    })),
  };
}

export function readLanguages(channel: Channel, file: SettingsReader): TextsInLanguages | null {
  const reader = file.inside('languages');
  if (!reader) return null;
  reader.refuseUnless(keys);
  if (file.has('welsh_content')) file.refuse('languages', 'A letter in Welsh then English has no other languages');
  const own = readTag(reader, 'default');
  const tags = new Set([own]);
  const items = reader.list('variants');
  if (!reader.has('variants')) reader.refuse('variants', 'variants is missing: the texts in other languages');
  if (items.length > maxVariants) reader.refuse('variants', `variants has more than ${maxVariants} texts`);
  const variants = items.map((item) => {
    const variant = readVariant(channel, item);
    const { language } = variant;
    if (language !== '' && tags.has(language)) item.refuse('language', `The template has two texts in ${language}`);
    tags.add(language);
    return variant;
  });
  const field = reader.text('field')?.trim() || null;
  if (field && field.length > maxName) reader.refuse('field', `field is longer than ${maxName} characters`);
  if (variants.length === 0) return null;
  return inOneForm({ default: own, field, refuse_unknown: reader.flag('refuse_unknown'), variants });
}

/** Returns the canonical spelling of a language; empty if it is not one. */
function readTag(reader: SettingsReader, key: string): string {
  const text = reader.text(key);
  const tag = readLanguage(text ?? '');
  if (!reader.has(key)) reader.refuse(key, `${key} is missing: a language tag, such as fr or fr-CA`);
  else if (text !== null && tag === undefined) reader.refuse(key, `${key} must be a language tag, such as fr or fr-CA`);
  return tag ?? '';
}

function readVariant(channel: Channel, reader: SettingsReader): TemplateVariant {
  reader.refuseUnless(variantKeys);
  const language = readTag(reader, 'language');
  const subject = reader.text('subject');
  if (channel !== 'sms' && (subject ?? '').trim() === '') reader.refuse('subject', 'subject is missing');
  if (channel === 'sms' && reader.has('subject')) reader.refuse('subject', 'Text messages have no subject');
  const content = reader.text('content') ?? '';
  if (!reader.has('content')) reader.refuse('content', 'content is missing');
  if (refusalOfContent({ template_type: channel, content, letter_welsh_content: null }) !== undefined) {
    reader.refuse('content', channel === 'sms' ? 'The message is too long' : 'A QR code has too much data');
  }
  return { language, subject, content };
}

interface ExportedLanguages {
  default: string;
  field?: string | null;
  refuse_unknown?: boolean;
  variants: { language: string; subject?: string | null; content?: string; body?: string }[];
}

/** Reads the texts in other languages of an export. The list of all templates only has their languages. */
export function readExportedLanguages(value: unknown, place: string): TextsInLanguages | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) {
    const others = value.slice(1).join(', ');
    throw new OperatorError(`${place} has texts in ${others}, and not in this export. Use pull, then push --new.`);
  }
  const { default: own, field = null, refuse_unknown = false, variants } = value as Partial<ExportedLanguages>;
  const texts = (Array.isArray(variants) ? variants : [undefined]).map((variant) => ({
    language: readLanguage(String(variant?.language)),
    subject: variant?.subject ?? null,
    content: variant?.content ?? variant?.body,
  }));
  const tag = readLanguage(String(own));
  const known = texts.flatMap(({ language, subject, content }) =>
    language === undefined || typeof content !== 'string' ? [] : [{ language, subject, content }],
  );
  if (tag === undefined || known.length < texts.length)
    throw new OperatorError(`${place} has languages without a text.`);
  return inOneForm({ default: tag, field, refuse_unknown, variants: known });
}
