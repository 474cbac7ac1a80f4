import { type TSchema, Type } from 'typebox';
import { forApi, t } from '../../language/text.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { Nullable } from '../../protocol/fields.ts';
import { type Personalisation, readPersonalisation } from '../../rendering/personalisation.ts';

/** Which text of a template a message gets. It is chosen once, when the message is accepted, and stored with it. */

/** The permission of a service. */
export const templateLanguages = 'template_languages';

/** A text of a template in another language than its own. */
export interface TemplateVariant {
  language: string;
  /** Null for text messages. */
  subject: string | null;
  content: string;
}

export interface TemplateLanguages {
  /** Whether its service has the permission now. Messages that were accepted before are rendered in any case. */
  enabled: boolean;
  /** That of the template's own text. */
  default: string;
  /** The placeholder whose value chooses the language. */
  field: string | null;
  /** Refuse a language that the template does not have. Otherwise such a message gets the template's own text. */
  refuse_unknown: boolean;
  variants: TemplateVariant[];
}

/** Which languages a template has. */
export interface LanguageTags {
  default: string;
  variants: readonly { language: string }[];
}

interface Multilingual {
  languages: TemplateLanguages | null;
}

/** Undefined for a template in one language. */
export function languagesInUse({ languages }: Multilingual): TemplateLanguages | undefined {
  return languages?.enabled ? languages : undefined;
}

/** All languages of a template, its own first. */
export function listLanguages({ default: own, variants }: LanguageTags): string[] {
  return [own, ...variants.map(({ language }) => language)];
}

/** In its canonical spelling, such as `fr-CA`; undefined for what is no BCP 47 tag. Java writes `fr_CA`. */
export function readLanguage(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const notLanguage = forApi('Not a language tag, such as fr or fr-CA', t('Choose one from the list.'));

/** Why a text of a request is no language tag. */
export function refusalOfLanguage(text: string): string | undefined {
  return readLanguage(text) === undefined ? notLanguage : undefined;
}

export interface ChosenLanguage {
  /** Null: the template's own text. */
  language: string | null;
  /** Whether the template lacks what was asked for. */
  isUnknown: boolean;
}

const ownText: ChosenLanguage = { language: null, isUnknown: false };
const unknownLanguage: ChosenLanguage = { language: null, isUnknown: true };

/** `fr-CA`, then `fr`, then the template's own text. */
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

/** The value of the placeholder that chooses the language. */
export function languageAmong({ field }: TemplateLanguages, values: Personalisation): string | undefined {
  if (field === null) return undefined;
  const value = field in values ? values[field] : readPersonalisation(values).get(comparableKey(field));
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Does not repeat what was asked for: it may be a value of the message. */
export function unknownLanguageText(languages: TemplateLanguages): string {
  return `The template has no text in the language of this message: its languages are ${listLanguages(languages).join(', ')}`;
}

/** The texts of a template in other languages, in requests and responses. */

export const maxVariants = 50;
/** The length of a name of a template. */
const maxField = 255;

const Language = Type.String({ format: 'language-tag', description: 'BCP 47, such as fr or fr-CA' });

export const variantFields = { language: Language, subject: Type.Optional(Nullable(Type.String())) };

/** Each surface has its own name for the text of a variant. */
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

/** What a request can send back. */
export function withoutPermission({ enabled, ...languages }: TemplateLanguages): Omit<TemplateLanguages, 'enabled'> {
  return languages;
}
