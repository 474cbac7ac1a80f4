import { collapseWhitespace } from '../../protocol/whitespace.ts';
import { decodeEntities, escapeHtml } from '../escape.ts';
import { renderEmailHtml } from '../markdown/email-html.ts';
import { type Section, splitAtTags } from '../markdown/language-tags.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import { renderPlainText, renderSummary } from '../markdown/plain-text.ts';
import type { MarkdownBlock, MarkdownInline } from '../markdown/tree.ts';
import type { Personalisation } from '../personalisation.ts';
import {
  type CompiledText,
  fillText,
  keepPlaceholder,
  markOpenPlaceholders,
  type OpenPlaceholder,
} from '../placeholders.ts';
import { applyTypography } from '../typography.ts';

/** Max UTF-8 bytes of the filled body. */
export const maxEmailBytes = 2_000_000;

const preheaderLength = 256;

export interface Subscription {
  /** The unsubscribe URL. A line with the link is added below the message. */
  unsubscribe_link?: string | null;
  /** The text of the link if it is not English. */
  unsubscribe_text?: string | undefined;
}

export interface Redaction {
  /** Prints `hidden` instead of the names of missing values. */
  redact?: boolean;
}

const bodyFilling = { lists: 'markdown', unfilled: keepPlaceholder } as const;
const subjectFilling = { lists: 'inline', unfilled: keepPlaceholder } as const;

/** Returns HTML if the text was compiled with slots for HTML, otherwise the subject as sent. */
export function renderSubject(subject: CompiledText, personalisation: Personalisation): string {
  return applyTypography(collapseWhitespace(fillText(subject, personalisation, subjectFilling)));
}

/** Returns the template's Markdown with the values filled in, as the API does for the body of emails and letters. */
export function renderBody(content: CompiledText, personalisation: Personalisation): string {
  return fillText(content, personalisation, bodyFilling).trim();
}

/** Returns the message as an HTML fragment. Only for texts compiled for HTML. */
export function renderHtmlFragment(
  content: CompiledText,
  personalisation: Personalisation,
  { redact, ...subscription }: Subscription & Redaction = {},
): string {
  return toHtml(readHtml(content, personalisation, redact), subscription);
}

/** Returns the text that mail clients show next to the subject, as HTML. Only for texts compiled for HTML. */
export function renderPreheader(content: CompiledText, personalisation: Personalisation): string {
  return cutPreheader(toSummary(readHtml(content, personalisation)));
}

/** The two texts of an email template, compiled with the same slots. */
export interface EmailContents {
  subject: CompiledText;
  content: CompiledText;
  unsubscribe_text?: string | undefined;
}

/** All parts of an email except the page around them. The summary is the untruncated preheader. */
export interface EmailTexts {
  subject: string;
  htmlSubject: string;
  body: string;
  summary: string;
  text: string;
}

/** Returns the same as the separate functions, but parses Markdown only once where nothing had to be escaped for HTML. */
export function renderTexts(
  text: EmailContents,
  html: EmailContents,
  personalisation: Personalisation,
  { unsubscribe_link }: Subscription,
): EmailTexts {
  const subscription = { unsubscribe_link, unsubscribe_text: text.unsubscribe_text };
  const filled = fillText(text.content, personalisation, bodyFilling);
  const open: OpenPlaceholder[] = [];
  const filledHtml = fillText(html.content, personalisation, {
    lists: 'markdown',
    unfilled: markOpenPlaceholders(open),
  });
  const htmlBlocks = parseContent(html.content, filledHtml, open);
  const textBlocks = filled === filledHtml && open.length === 0 ? htmlBlocks : parseContent(text.content, filled, []);
  return {
    subject: renderSubject(text.subject, personalisation),
    htmlSubject: renderSubject(html.subject, personalisation),
    body: toHtml(htmlBlocks, subscription),
    summary: toSummary(htmlBlocks),
    text: toPlainText(textBlocks, subscription),
  };
}

export function renderPlainTextPart(
  content: CompiledText,
  personalisation: Personalisation,
  subscription: Subscription = {},
): string {
  const filled = fillText(content, personalisation, bodyFilling);
  return toPlainText(parseContent(content, filled, []), subscription);
}

function readHtml(content: CompiledText, personalisation: Personalisation, redact = false): MarkdownBlock[] {
  const open: OpenPlaceholder[] = [];
  const unfilled = markOpenPlaceholders(open, redact);
  const filled = fillText(content, personalisation, { lists: 'markdown', unfilled });
  return parseContent(content, filled, open);
}

function parseContent(
  { tagged, slots }: CompiledText,
  filled: string,
  open: readonly OpenPlaceholder[],
): MarkdownBlock[] {
  const grammar = { links: true, open, emphasis: slots.dialect === 'gc' };
  const parse = (text: string) => parseMarkdown(preventAutolinking(text), grammar);
  return tagged ? parseSections(splitAtTags(filled), parse) : parse(filled);
}

function parseSections(sections: readonly Section[], parse: (text: string) => MarkdownBlock[]): MarkdownBlock[] {
  return sections.flatMap((section) =>
    typeof section === 'string'
      ? parse(section)
      : [{ kind: 'tagged' as const, tag: section.tag, blocks: parseSections(section.sections, parse) }],
  );
}

function toHtml(
  blocks: readonly MarkdownBlock[],
  { unsubscribe_link, unsubscribe_text = inEnglish }: Subscription,
): string {
  const link = unsubscribe_link && escapeHtml(unsubscribe_link);
  return applyTypography(renderEmailHtml([...blocks, ...unsubscribeBlocks(link, escapeHtml(unsubscribe_text))]));
}

function toPlainText(
  blocks: readonly MarkdownBlock[],
  { unsubscribe_link, unsubscribe_text = inEnglish }: Subscription,
): string {
  const text = applyTypography(renderPlainText([...blocks, ...unsubscribeBlocks(unsubscribe_link, unsubscribe_text)]));
  return `${decodeEntities(text).trimStart()}\n`;
}

function toSummary(blocks: readonly MarkdownBlock[]): string {
  return collapseWhitespaceOnly(applyTypography(renderSummary(blocks)));
}

const inEnglish = 'Unsubscribe from these emails';

function unsubscribeBlocks(url: string | null | undefined, text: string): MarkdownBlock[] {
  if (!url) return [];
  const inlines: MarkdownInline[] = [{ kind: 'text', text }];
  return [{ kind: 'rule' }, { kind: 'paragraph', source: '', inlines: [{ kind: 'link', url, title: null, inlines }] }];
}

/** Matches only the name itself, not within a longer name or URL. */
const govUk = /(?<=(?:^|\s)[#*^]?gov)\.(?=uk(?![/?#]))/gi;
/** A line separator, and a filler that mail clients show as a box. */
const unsupported = /[\u2028\u3164]/g;

/** Mail clients link every `GOV.UK`; a zero-width space prevents it. */
function preventAutolinking(text: string): string {
  return text.replace(govUk, '.\u200B').replace(unsupported, '');
}

/** Keeps zero-width characters: one of them prevents a name from being linked. */
function collapseWhitespaceOnly(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** Truncates by characters, never within one or within an entity. */
export function cutPreheader(html: string): string {
  if (html.length <= preheaderLength) return html;
  let end = 0;
  for (let count = 0; count < preheaderLength && end < html.length; count++) {
    end += (html.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  if (end === html.length) return html;
  return html
    .slice(0, end)
    .replace(/&[^;\s]*$/, '')
    .trimEnd();
}
