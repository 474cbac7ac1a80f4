import { type TSchema, Type } from 'typebox';
import { Nullable } from '../../protocol/fields.ts';
import type { TemplateLanguages } from './languages.ts';

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
