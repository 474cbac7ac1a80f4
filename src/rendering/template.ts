import type { CountryProfile } from '../countries/profile.ts';
import type { Channel } from '../protocol/channels.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import {
  cutPreheader,
  maxEmailBytes,
  type Redaction,
  renderBody,
  renderHtmlFragment,
  renderPlainTextPart,
  renderPreheader,
  renderSubject,
  renderTexts,
  type Subscription,
} from './email/email.ts';
import { outlineRenderer } from './email/outlines.ts';
import { type EmailBrand, type EmailPlatform, rememberingEmailHead, renderEmailPage } from './email/page.ts';
import {
  compileContactBlock,
  findLongQrCodes,
  type LetterOptions,
  type LetterTexts,
  renderLetter,
} from './letter/letter.ts';
import type { LetterDocument, LetterWords } from './letter/model.ts';
import { markTags } from './markdown/language-tags.ts';
import type { ConditionWords, Personalisation } from './personalisation.ts';
import {
  compileText,
  conditionNames,
  filledLength,
  htmlSlots,
  missingNames,
  type Slots,
  textSlots,
  unclearNames,
  usedValues,
} from './placeholders.ts';
import { smsAlphabet } from './sms/gsm.ts';
import {
  findLostCharacters,
  isEmpty,
  isTooLong,
  previewSms,
  renderSms,
  type SmsMessage,
  type SmsOptions,
  type SmsPreview,
} from './sms/sms.ts';

/** A template as stored. Texts that its type does not use may be omitted. */
export interface TemplateSource {
  template_type: Channel;
  content: string;
  subject?: string | null;
  letter_welsh_subject?: string | null;
  letter_welsh_content?: string | null;
  /** For letters: the sender's address, which may contain placeholders. */
  contact_block?: string | null;
  /** For text messages: the country's alphabet; the protocol's by default. */
  alphabet?: CountryProfile['sms']['alphabet'];
  /** The dialect of the service: whether emails have bold text, further values that show optional text, and the max length of a text. */
  dialect?: ApiDialect;
  /** Further words for yes and no, for a template with optional text. */
  condition_words?: ConditionWords | undefined;
  /** A BCP 47 tag; English by default. */
  language?: string;
  /** The text of the unsubscribe link, if it is not English. */
  unsubscribe_text?: string;
  /** The texts that a letter prints itself, if they are not English. */
  letter_words?: LetterWords;
}

export type EmailSource = TemplateSource & { template_type: 'email' };

/** A template compiled once and rendered many times. */
export type CompiledTemplate = SmsTemplate | EmailTemplate | LetterTemplate;

interface Placeholders {
  /** In order of appearance. */
  placeholders: readonly string[];
  /** Returns the names without a value, in the same order. An empty string is a value, null is not. */
  missing(personalisation: Personalisation): string[];
  /** Placeholders that only show or hide text. */
  conditions: readonly string[];
  /** Returns those of them whose value is neither yes nor no. Such a value hides the text. */
  unclear(personalisation: Personalisation): string[];
  /** Omits the values that the template does not use. */
  used<Value>(values: Readonly<Record<string, Value>>): Record<string, Value>;
}

type SmsTemplate = Placeholders & {
  template_type: 'sms';
  dialect: ApiDialect;
  /** Without personalisation, placeholders count as empty: this measures the template itself. */
  render(personalisation?: Personalisation | null, options?: SmsOptions): SmsMessage;
  preview(personalisation: Personalisation, options?: SmsOptions): SmsPreview;
  /** Returns the distinct characters that no text message can carry. They are sent as question marks. */
  lostCharacters(personalisation: Personalisation): string[];
};

export type EmailPageOptions = Subscription & { brand: EmailBrand | null; platform: EmailPlatform };

export type EmailTemplate = Placeholders & {
  template_type: 'email';
  /** The source it was compiled from, as a value that can be passed to a thread. */
  source: EmailSource;
  /** Approximates the characters of subject and body with the values filled in, without filling. */
  length(personalisation: Personalisation): number;
  subjectLength(personalisation: Personalisation): number;
  /** Returns the subject as sent, not HTML. */
  subject(personalisation: Personalisation): string;
  /** The template's Markdown with the values filled in. */
  body(personalisation: Personalisation): string;
  htmlFragment(personalisation: Personalisation, options?: Subscription & Redaction): string;
  plainText(personalisation: Personalisation, options?: Subscription): string;
  preheader(personalisation: Personalisation): string;
  /** Renders everything that is sent; `html` is the complete email with its branding. */
  message(personalisation: Personalisation, options: EmailPageOptions): { subject: string; text: string; html: string };
  /** Frees the outlines that `message` caches. The next message creates them again. */
  forgetOutlines(): void;
};

export type LetterTemplate = Placeholders & {
  template_type: 'letter';
  /** Returns HTML, as shown in previews. */
  subject(personalisation: Personalisation): string;
  /** The template's Markdown with the values filled in; the English text of a bilingual letter. */
  body(personalisation: Personalisation): string;
  document(personalisation: Personalisation, options: LetterOptions): LetterDocument;
  /** Returns the data of QR codes over the limit. Pass empty personalisation to check the template itself. */
  longQrCodes(personalisation: Personalisation): string[];
};

export function compileTemplate(source: TemplateSource & { template_type: 'sms' }): SmsTemplate;
export function compileTemplate(source: TemplateSource & { template_type: 'email' }): EmailTemplate;
export function compileTemplate(source: TemplateSource & { template_type: 'letter' }): LetterTemplate;
export function compileTemplate(source: TemplateSource): CompiledTemplate;
export function compileTemplate(source: TemplateSource): CompiledTemplate {
  switch (source.template_type) {
    case 'sms':
      return compileSms(source);
    case 'email':
      return compileEmail({ ...source, template_type: 'email' });
    case 'letter':
      return compileLetter(source);
  }
}

function compileSms(source: TemplateSource): SmsTemplate {
  const { dialect = 'govuk' } = source;
  const slots = textSlots(dialect, source.condition_words);
  const content = compileText(source.content, slots);
  const alphabet = smsAlphabet(source.alphabet ?? 'gsm-welsh', dialect);
  return {
    template_type: 'sms',
    dialect,
    ...placeholdersOf(slots),
    render: (personalisation, options) => renderSms(content, personalisation, options, alphabet),
    preview: (personalisation, options) => previewSms(content, personalisation, options, alphabet),
    lostCharacters: (personalisation) => findLostCharacters(content, personalisation, alphabet),
  };
}

function compileEmail(source: EmailSource): EmailTemplate {
  const slots = textSlots(source.dialect, source.condition_words);
  const subject = compileText(source.subject ?? '', slots);
  const content = compileText(source.content, slots);
  const withMarks = markTags(source.content);
  const tagged = withMarks === undefined ? content : compileText(withMarks, slots, true);
  const html = once(() => {
    const slotsForHtml = htmlSlots(source.dialect, source.condition_words);
    return {
      subject: compileText(source.subject ?? '', slotsForHtml),
      content: compileText(withMarks ?? source.content, slotsForHtml, withMarks !== undefined),
    };
  });
  const { unsubscribe_text } = source;
  const texts = { subject, content: tagged, unsubscribe_text };
  const headFor = rememberingEmailHead();
  let renderFromOutline = outlineRenderer(texts, html);
  return {
    template_type: 'email',
    source,
    subjectLength: (personalisation) => filledLength(subject, personalisation),
    length: (personalisation) => filledLength(subject, personalisation) + filledLength(content, personalisation),
    ...placeholdersOf(slots),
    subject: (personalisation) => renderSubject(subject, personalisation),
    body: (personalisation) => renderBody(content, personalisation),
    htmlFragment: (personalisation, options) =>
      renderHtmlFragment(html().content, personalisation, { unsubscribe_text, ...options }),
    plainText: (personalisation, options) =>
      renderPlainTextPart(tagged, personalisation, { unsubscribe_text, ...options }),
    preheader: (personalisation) => renderPreheader(html().content, personalisation),
    forgetOutlines: () => {
      renderFromOutline = outlineRenderer(texts, html);
    },
    message: (personalisation, { brand, platform, unsubscribe_link }) => {
      const { htmlSubject, summary, body, ...plain } =
        renderFromOutline(personalisation, unsubscribe_link) ??
        renderTexts(texts, html(), personalisation, { unsubscribe_link });
      const parts = { subject: htmlSubject, preheader: cutPreheader(summary), body };
      return { ...plain, html: renderEmailPage(parts, headFor(brand, platform), source.language) };
    },
  };
}

function compileLetter(source: TemplateSource): LetterTemplate {
  const slots = textSlots(source.dialect, source.condition_words);
  const texts: LetterTexts = {
    contact_block: compileContactBlock(source.contact_block, slots),
    welsh: compileWelsh(source, slots),
    subject: compileText(source.subject ?? '', slots),
    content: compileText(source.content, slots),
    words: source.letter_words,
  };
  const subjectAsHtml = once(() =>
    compileText(source.subject ?? '', htmlSlots(source.dialect, source.condition_words)),
  );
  return {
    template_type: 'letter',
    ...placeholdersOf(slots),
    subject: (personalisation) => renderSubject(subjectAsHtml(), personalisation),
    body: (personalisation) => renderBody(texts.content, personalisation),
    document: (personalisation, options) => renderLetter(texts, personalisation, options),
    longQrCodes: (personalisation) => findLongQrCodes(texts, personalisation),
  };
}

function compileWelsh({ letter_welsh_subject, letter_welsh_content }: TemplateSource, slots: Slots) {
  if (typeof letter_welsh_subject !== 'string' || typeof letter_welsh_content !== 'string') return null;
  return { subject: compileText(letter_welsh_subject, slots), content: compileText(letter_welsh_content, slots) };
}

function placeholdersOf(slots: Slots): Placeholders {
  return {
    placeholders: slots.names,
    missing: (personalisation) => missingNames(slots, personalisation),
    conditions: conditionNames(slots),
    unclear: (personalisation) => unclearNames(slots, personalisation),
    used: (values) => usedValues(slots, values),
  };
}

/** Lazy, because most templates are sent far more often than rendered as HTML. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type ContentProblem = 'too-long' | 'empty' | 'qr-code-too-long';

/**
 * Returns why a message with these values could not be sent. A placeholder without a value counts as its own text. The prefix of a text
 * counts in the dialect of GC Notify only.
 */
export function contentProblems(
  template: CompiledTemplate,
  personalisation: Personalisation,
  prefix: string | null = null,
): ContentProblem[] {
  switch (template.template_type) {
    case 'sms': {
      const message = template.render(personalisation, prefix === null ? {} : { prefix });
      if (isEmpty(message)) return ['empty'];
      return isTooLong(message, template.dialect) ? ['too-long'] : [];
    }
    case 'email': {
      const body = template.body(personalisation);
      if (body.trim() === '') return ['empty'];
      return Buffer.byteLength(body) > maxEmailBytes ? ['too-long'] : [];
    }
    case 'letter':
      if (template.body(personalisation).trim() === '') return ['empty'];
      return template.longQrCodes(personalisation).length > 0 ? ['qr-code-too-long'] : [];
  }
}
