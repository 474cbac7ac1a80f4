import type { Languages } from '../../language/languages.ts';
import { inLanguage, t } from '../../language/text.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { TemplateSource } from '../../rendering/template.ts';

/** Texts of a message that are not in its template: the words of the unsubscribe link in an email, the page numbers of a letter. */
export type FixedTexts = Pick<TemplateSource, 'unsubscribe_text' | 'letter_words'>;

interface Message {
  template_type: Channel;
  has_unsubscribe_link: boolean;
}

/** Returns the texts in the language of the template's text, or else in that of the installation. */
export function fixedTexts(languages: Languages, message: Message, tag: string | undefined): FixedTexts {
  const known = languages.find(tag ?? '') ?? languages.default;
  if (message.template_type === 'email' && message.has_unsubscribe_link) {
    return inLanguage(known, () => ({ unsubscribe_text: String(t('Unsubscribe from these emails')) }));
  }
  const language = tag === undefined ? 'en' : new Intl.Locale(tag).language;
  if (message.template_type !== 'letter' || tag === undefined || language === 'en') return {};
  if (language === 'cy') return { letter_words: { tag, page_number: 'Tudalen {page} o {pages}' } };
  const page_number = inLanguage(known, () =>
    String(t('Page {page} of {pages}', { page: '{page}', pages: '{pages}' })),
  );
  return { letter_words: { tag, page_number } };
}
