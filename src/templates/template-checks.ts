import type { Country } from '../countries/country.ts';
import { t } from '../language/text.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { forbidden, invalid, invalidField, notFound } from '../platform/failure.ts';
import type { Channel } from '../protocol/channels.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import { isTooLong, maxSmsLength } from '../rendering/sms/sms.ts';
import { compileTemplate } from '../rendering/template.ts';
import { alphabetOf, keepCharacters } from './languages/text-alphabet.ts';
import type { LetterLanguages, TemplateRow } from './template-row.ts';
import { replyToExists, selectServiceRules } from './templates.sql.ts';

/** Validation rules for storing a template, one function per rule. */

const channels: Record<Channel, string> = { sms: 'text message', email: 'email', letter: 'letter' };

export async function getServiceRules(db: Db | Tx, serviceId: string) {
  const rules = await selectServiceRules(db, serviceId);
  if (!rules) throw notFound();
  return rules;
}

export function refuseUnlessChannelIsAllowed(
  permissions: string[],
  type: Channel,
  action: 'Creating' | 'Updating',
): void {
  if (permissions.includes(type)) return;
  throw forbidden({ template_type: [`${action} ${channels[type]} templates is not allowed`] });
}

type Texts = Pick<TemplateRow, 'template_type' | 'content' | 'letter_welsh_content'>;

/** What determines the maximum length of a text. Without them, the default alphabet and the limit of the protocol apply. */
export interface TextRules {
  country?: Pick<Country, 'sms'>;
  dialect?: ApiDialect;
  keepsCharacters?: boolean;
}

export function textRules(
  country: Pick<Country, 'sms'>,
  { permissions, api_dialect }: { permissions: readonly string[]; api_dialect: ApiDialect },
): TextRules {
  return { country, dialect: api_dialect, keepsCharacters: permissions.includes(keepCharacters) };
}

/** Returns why a template cannot have this text, or undefined. The text may get longer when the alphabet replaces characters. */
export function refusalOfContent(
  { template_type, content, letter_welsh_content }: Texts,
  { country, dialect = 'govuk', keepsCharacters = false }: TextRules = {},
): string | undefined {
  if (template_type === 'sms') {
    const alphabet = country && alphabetOf(country, keepsCharacters);
    const message = compileTemplate({ template_type, content, alphabet, dialect }).render();
    const limit = maxSmsLength(dialect);
    return isTooLong(message, dialect) ? `Content has a character count greater than the limit of ${limit}` : undefined;
  }
  if (template_type === 'email') return undefined;
  const welsh = letter_welsh_content === null ? {} : { letter_welsh_subject: '', letter_welsh_content };
  const isLong = compileTemplate({ template_type, content, ...welsh }).longQrCodes({}).length > 0;
  return isLong ? 'qr-code-too-long' : undefined;
}

export function refuseUnlessContentFits(texts: Texts, rules?: TextRules): void {
  const refusal = refusalOfContent(texts, rules);
  if (refusal !== undefined) throw invalidField('content', refusal);
}

/** Whatever concerns a template reads all its texts. Saved one by one, fifty languages would otherwise be hundreds of megabytes. */
const maxCharacters = 4_000_000;

type AllTexts = Pick<TemplateRow, 'subject' | 'content' | 'letter_welsh_content' | 'languages'>;

export function refuseTooMuchText({ subject, content, letter_welsh_content, languages }: AllTexts): void {
  const variants = languages?.variants.flatMap((variant) => [variant.subject, variant.content]) ?? [];
  const lengths = [subject, content, letter_welsh_content, ...variants].map((text) => text?.length ?? 0);
  if (lengths.reduce((sum, length) => sum + length, 0) <= maxCharacters) return;
  throw invalidField(
    'content',
    t('The texts of a template can have at most {max, number} characters, all languages together.', {
      max: maxCharacters,
    }),
  );
}

export function refuseUnlessSubjectFits(type: Channel, subject: string | null): void {
  if (type === 'sms') return;
  if (subject === null) throw invalidField('subject', 'Field may not be null.');
  const refusal = refusalOfTemplateSubject(subject);
  if (refusal) throw invalidField('subject', refusal);
}

export function refuseUnsubscribeLinkUnlessEmail(type: Channel, hasLink: boolean): void {
  if (hasLink && type !== 'email') throw invalidField('has_unsubscribe_link', 'Only emails have an unsubscribe link.');
}

interface GivenLanguages {
  letter_languages?: LetterLanguages | null;
  letter_welsh_subject?: string | null;
  letter_welsh_content?: string | null;
}

const welshFields = ['letter_welsh_subject', 'letter_welsh_content'] as const;

/**
 * A request that sets the languages must set both Welsh texts: strings for Welsh then English, null for English. A letter
 * that stays in Welsh then English cannot lose a Welsh text.
 */
export function refuseUnlessLanguagesFit(
  template: Pick<TemplateRow, 'template_type' | 'letter_languages' | (typeof welshFields)[number]>,
  given: GivenLanguages,
): void {
  if (template.template_type !== 'letter') {
    const texts = ['letter_languages' as const, ...welshFields]
      .filter((field) => (given[field] ?? null) !== null)
      .map((field) => [field, ['Only letters have languages.']]);
    if (texts.length > 0) throw invalid(Object.fromEntries(texts));
    return;
  }
  const named = (given.letter_languages ?? null) !== null;
  const problems: Record<string, string[]> = {};
  for (const field of welshFields) {
    if (named && given[field] === undefined) problems[field] = ['Missing data for required field.'];
    else if (template.letter_languages === 'welsh_then_english' && template[field] === null) {
      problems[field] = ['Field may not be null.'];
    } else if (named && template.letter_languages === 'english' && template[field] !== null) {
      problems[field] = ['Must be null unless letter_languages is welsh_then_english.'];
    }
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

const replyToNames: Record<Channel, string> = {
  letter: 'letter_contact_id',
  email: 'email_reply_to_id',
  sms: 'sms_sender_id',
};

export async function refuseUnlessReplyToExists(
  db: Db | Tx,
  type: Channel,
  serviceId: string,
  replyTo: string | null,
): Promise<void> {
  if (replyTo === null || (await replyToExists(db, type, serviceId, replyTo))) return;
  throw invalid(`${replyToNames[type]} ${replyTo} does not exist in database for service id ${serviceId}`);
}

/** Returns why a string is not a valid template name, or undefined. */
export function refusalOfTemplateName(text: string): string | undefined {
  return text.trim() === '' ? 'Invalid template name' : undefined;
}

export function refusalOfTemplateSubject(text: string): string | undefined {
  return text.trim() === '' ? 'Invalid template subject' : undefined;
}
