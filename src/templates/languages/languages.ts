import { type TSchema, Type } from 'typebox';
import { forApi, t } from '../../language/text.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { Nullable } from '../../protocol/fields.ts';
import { type Personalisation, readPersonalisation } from '../../rendering/personalisation.ts';

/** Which language of a template a message gets is decided once, when the message is accepted, and stored with it. */

/** A permission of services. */
export const templateLanguages = 'template_languages';

/** The text of a template in an additional language. */
export interface TemplateVariant {
  language: string;
  /** Null for text messages. */
  subject: string | null;
  content: string;
}

export interface TemplateLanguages {
  /** Whether the service has the permission now. Messages that were accepted while it had are rendered in their language anyway. */
  enabled: boolean;
  /** The language of the template's own text. */
  default: string;
  /** The placeholder whose value chooses the language. */
  field: string | null;
  /** Rejects languages that the template does not have. Otherwise such messages get the template's own text. */
  refuse_unknown: boolean;
  variants: TemplateVariant[];
}

/** The languages of a template. */
export interface LanguageTags {
  default: string;
  variants: readonly { language: string }[];
}

interface Multilingual {
  languages: TemplateLanguages | null;
}

/** Returns undefined for a template in one language, or if the service lacks the permission. */
export function languagesInUse({ languages }: Multilingual): TemplateLanguages | undefined {
  return languages?.enabled ? languages : undefined;
}

/** Lists the languages of a template, its own first. */
export function listLanguages({ default: own, variants }: LanguageTags): string[] {
  return [own, ...variants.map(({ language }) => language)];
}

/** Returns the canonical form, such as `fr-CA`; undefined if the text is not a BCP 47 tag. Accepts `fr_CA`, as Java writes it. */
export function readLanguage(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const notLanguage = forApi('Not a language tag, such as fr or fr-CA', t('Choose one from the list.'));

/** Returns why a text is not a language tag, or undefined. */
export function refusalOfLanguage(text: string): string | undefined {
  return readLanguage(text) === undefined ? notLanguage : undefined;
}

export interface ChosenLanguage {
  /** Null for the template's own text. */
  language: string | null;
  /** Whether the template lacks the requested language. */
  isUnknown: boolean;
}

const ownText: ChosenLanguage = { language: null, isUnknown: false };
const unknownLanguage: ChosenLanguage = { language: null, isUnknown: true };

/** Tries `fr-CA`, then `fr`, then falls back to the template's own text. */
export function chooseLanguage(languages: LanguageTags, asked: string | undefined): ChosenLanguage {
  if (asked === undefined) return ownText;
  const tag = readLanguage(asked);
  if (tag === undefined) return unknownLanguage;
  for (let candidate = tag; candidate !== ''; candidate = candidate.slice(0, Math.max(0, candidate.lastIndexOf('-')))) {
    if (candidate === languages.default) return ownText;
    const variant = languages.variants.find(({ language }) => language === candidate);
    if (variant) return { language: candidate, isUnknown: false };
  }
  return unknownLanguage;
}

/** Returns the value of the placeholder that chooses the language. */
export function languageAmong({ field }: TemplateLanguages, values: Personalisation): string | undefined {
  if (field === null) return undefined;
  const value = field in values ? values[field] : readPersonalisation(values).get(comparableKey(field));
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Does not repeat the requested language, which may be a personal value of the message. */
export function unknownLanguageText(languages: TemplateLanguages): string {
  return `The template has no text in the language of this message: its languages are ${listLanguages(languages).join(', ')}`;
}

/** Languages of a template in requests and responses. */

export const maxVariants = 50;
/** The maximum length of a template name. */
const maxField = 255;

const Language = Type.String({ format: 'language-tag', description: 'BCP 47, such as fr or fr-CA' });

export const variantFields = { language: Language, subject: Type.Optional(Nullable(Type.String())) };

/** The name of a variant's text differs between surfaces. */
export function LanguagesOf<Variant extends TSchema>(variant: Variant) {
  return Type.Object(
    {
      default: { ...Language, description: 'Of the text of the template itself' },
      field: Type.Optional(
        Nullable(Type.String({ maxLength: maxField, description: 'The placeholder whose value chooses the language' })),
      ),
      refuse_unknown: Type.Optional(
        Type.Boolean({ description: 'Refuse other languages; by default such messages get the text of the template' }),
      ),
      variants: Type.Array(variant, { maxItems: maxVariants }),
    },
    { description: 'All texts in other languages; replaces those before. Needs the permission template_languages' },
  );
}

/** Removes `enabled`, which a request cannot set. */
export function withoutPermission({ enabled, ...languages }: TemplateLanguages): Omit<TemplateLanguages, 'enabled'> {
  return languages;
}
