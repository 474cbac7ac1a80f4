import { invalidField } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import { refusalOfContent, refusalOfTemplateSubject, type TextRules } from '../template-checks.ts';
import type { TemplateRow } from '../template-row.ts';
import { readLanguage, type TemplateLanguages, templateLanguages } from './languages.ts';

/** The languages of a template, as a request sets them. */
export interface LanguagesRequest {
  default: string;
  field?: string | null;
  refuse_unknown?: boolean;
  variants: { language: string; subject?: string | null; content: string }[];
}

interface Rules extends TextRules {
  permissions: readonly string[];
}

/** Returns null for a template in one language. Throws for languages that the template cannot have. */
export function readLanguages(
  { template_type }: Pick<TemplateRow, 'template_type'>,
  request: LanguagesRequest | null,
  { permissions, ...rules }: Rules,
): TemplateLanguages | null {
  if (request === null || request.variants.length === 0) return null;
  if (!permissions.includes(templateLanguages)) {
    throw refuse('The service cannot have templates in several languages: it lacks the permission template_languages');
  }
  const tags = new Set([canonical(request.default)]);
  const variants = request.variants.map(({ language, subject = null, content }) => {
    const tag = canonical(language);
    if (tags.has(tag)) throw refuse(`The template has two texts in ${tag}`);
    tags.add(tag);
    const refusal = refusalOfText({ template_type, subject, content }, rules);
    if (refusal !== undefined) throw refuse(`${tag}: ${refusal}`);
    return { language: tag, subject: template_type === 'sms' ? null : subject, content };
  });
  return {
    enabled: true,
    default: canonical(request.default),
    field: request.field?.trim() || null,
    refuse_unknown: request.refuse_unknown ?? false,
    variants: variants.sort((left, right) => (left.language < right.language ? -1 : 1)),
  };
}

/** A letter in Welsh then English already contains both languages. */
export function refuseVariantsOfWelshLetter(template: Pick<TemplateRow, 'letter_languages' | 'languages'>) {
  if (template.letter_languages !== 'welsh_then_english' || template.languages === null) return;
  throw refuse('A letter in Welsh then English cannot have texts in other languages');
}

const refuse = (text: string) => invalidField('languages', text);

function canonical(language: string): string {
  const tag = readLanguage(language);
  if (tag === undefined) throw new Error('A language that the schema has not checked');
  return tag;
}

interface Text {
  template_type: Channel;
  subject: string | null;
  content: string;
}

function refusalOfText({ template_type, subject, content }: Text, rules: TextRules): string | undefined {
  if (template_type !== 'sms') {
    const refusal = subject === null ? 'A subject is required' : refusalOfTemplateSubject(subject);
    if (refusal !== undefined) return refusal;
  }
  return refusalOfContent({ template_type, content, letter_welsh_content: null }, rules);
}
