/** The content of a letter, ready to draw: no Markdown, HTML or escaping left in any text. */
export interface LetterDocument {
  /** One part, or two if the letter is Welsh then English. Each part has its own page numbers from 1. */
  parts: LetterPart[];
}

export type LetterLanguage = 'english' | 'welsh';

/** The texts that a letter prints itself, for languages other than these two. */
export interface LetterWords {
  /** A BCP 47 tag such as `fr`. */
  tag: string;
  /** The text `Page {page} of {pages}` in this language. */
  page_number: string;
}

export interface LetterPart {
  language: LetterLanguage;
  words?: LetterWords;
  /** One entry per printed line; an unfilled slot is a placeholder of style `no-brackets`. */
  address: LetterInline[][];
  /** The address is printed as written, not in capitals. */
  address_as_written?: true;
  /** One entry per printed line; empty if the letter has no contact block. */
  contact_block: LetterInline[][];
  /** In the language of the part, for example `1 January 2026` or `1 Ionawr 2026`. */
  date: string;
  subject: LetterInline[];
  blocks: LetterBlock[];
}

export type LetterBlock =
  | { kind: 'heading'; inlines: LetterInline[] }
  | { kind: 'paragraph'; inlines: LetterInline[] }
  | { kind: 'list'; ordered: boolean; items: LetterListItem[] }
  | { kind: 'page-break' }
  | LetterQrCode;

/** An item starts with its own text; paragraphs and nested lists follow in `blocks`. */
export interface LetterListItem {
  inlines: LetterInline[];
  blocks: LetterBlock[];
}

/** `unfilled`: the data still contains a placeholder, so an empty dashed box is drawn. */
export interface LetterQrCode {
  kind: 'qr-code';
  data: string;
  unfilled: boolean;
}

/** Hyphens in a message are U+2011 (non-breaking); a font without it can print an ordinary one. */
export type LetterInline =
  | { kind: 'text'; text: string }
  | { kind: 'bold'; text: string }
  | { kind: 'line-break' }
  | LetterPlaceholder;

/**
 * A missing value, to be highlighted. `text` is printed inside the highlight: `((name))` when plain, `((name??` when
 * conditional (its own text and `))` follow as ordinary text), `name` without brackets, or `hidden` when the values of
 * the letter are redacted.
 */
interface LetterPlaceholder {
  kind: 'placeholder';
  style: PlaceholderStyle;
  text: string;
}

export type PlaceholderStyle = 'plain' | 'conditional' | 'no-brackets' | 'redacted';
