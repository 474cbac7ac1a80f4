import type { Channel } from '../../protocol/channels.ts';
import { maxEmailBytes } from '../../rendering/email/email.ts';
import { splitAtPlaceholders } from '../../rendering/placeholders.ts';
import { notableCharacters } from '../../rendering/sms/gsm.ts';
import { isTooLong, maxSmsCharacters } from '../../rendering/sms/sms.ts';
import { type CompiledTemplate, compileTemplate } from '../../rendering/template.ts';
import type { LetterLanguages } from '../template-row.ts';

/** The texts of a template that is not stored, or not in this form. */
export interface TemplateDraft {
  template_type: Channel;
  content: string;
  subject: string | null;
  has_unsubscribe_link: boolean;
  letter_languages: LetterLanguages | null;
  letter_welsh_subject: string | null;
  letter_welsh_content: string | null;
}

export function compileDraft(draft: TemplateDraft, contactBlock: string | null): CompiledTemplate {
  const { template_type, subject, content, letter_welsh_subject, letter_welsh_content } = draft;
  const welsh = draft.letter_languages === 'welsh_then_english' ? { letter_welsh_subject, letter_welsh_content } : {};
  return compileTemplate({ template_type, subject, content, ...welsh, contact_block: contactBlock });
}

/** What people should change before they save, by field. The API stores some of it for those who insist. */
export function problemsOfDraft(draft: TemplateDraft): Record<string, string> {
  const texts = textsOf(draft);
  const problems = texts.flatMap(([field, text, name]): [string, string][] => {
    if (text.trim() === '') return [[field, `Enter the ${name}.`]];
    const comma = splitAtPlaceholders(text).find((part) => typeof part !== 'string' && part.name.includes(','));
    if (comma) return [[field, 'Placeholders cannot contain commas: take them out of the double brackets.']];
    return [];
  });
  const size = sizeProblem(draft);
  return Object.fromEntries(size && !problems.some(([field]) => field === 'content') ? [...problems, size] : problems);
}

function textsOf(draft: TemplateDraft): [field: string, text: string, name: string][] {
  const { template_type, subject, content } = draft;
  if (template_type === 'sms') return [['content', content, 'message']];
  const english: [string, string, string][] = [
    ['subject', subject ?? '', template_type === 'email' ? 'subject' : 'heading'],
    ['content', content, 'message'],
  ];
  if (draft.letter_languages !== 'welsh_then_english') return english;
  return [
    ['letter_welsh_subject', draft.letter_welsh_subject ?? '', 'heading in Welsh'],
    ['letter_welsh_content', draft.letter_welsh_content ?? '', 'message in Welsh'],
    ...english,
  ];
}

function sizeProblem(draft: TemplateDraft): [string, string] | undefined {
  const compiled = compileDraft(draft, null);
  switch (compiled.template_type) {
    case 'sms': {
      const { lost } = notableCharacters(draft.content);
      if (lost.length > 0) return ['content', `Phones cannot show ${lost.join(' ')}: use other characters.`];
      if (!isTooLong(compiled.render())) return undefined;
      return ['content', `The message is too long: text messages have at most ${maxSmsCharacters} characters.`];
    }
    case 'email':
      if (Buffer.byteLength(draft.content) <= maxEmailBytes) return undefined;
      return ['content', 'The message is too long: emails have at most 2 MB of text.'];
    case 'letter': {
      if (compiled.longQrCodes({}).length === 0) return undefined;
      return ['content', 'A QR code has too much data: use a shorter link.'];
    }
  }
}
