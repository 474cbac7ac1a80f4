/** What a letter says, part by part, ready to be drawn: no Markdown, no HTML, no escaping left in any text. */
export type LetterDocument = {
  /** One part, or two when the letter is Welsh then English. Each part is numbered from page 1 on its own. */
  parts: LetterPart[];
};

export type LetterLanguage = 'english' | 'welsh';

export type LetterPart = {
  language: LetterLanguage;
  /** One entry per printed line; a slot that is still open is a placeholder of style `no-brackets`. */
  address: LetterInline[][];
  /** One entry per printed line; empty when the letter has no contact block. */
  contact_block: LetterInline[][];
  /** In the language of the part, for example `1 January 2026` or `1 Ionawr 2026`. */
  date: string;
  subject: LetterInline[];
  blocks: LetterBlock[];
};

export type LetterBlock =
  | { kind: 'heading'; inlines: LetterInline[] }
  | { kind: 'paragraph'; inlines: LetterInline[] }
  | { kind: 'list'; ordered: boolean; items: LetterListItem[] }
  | { kind: 'page-break' }
  | LetterQrCode;

/** An item begins with its own text; paragraphs and nested lists follow in `blocks`. */
export type LetterListItem = { inlines: LetterInline[]; blocks: LetterBlock[] };

/** `unfilled`: the data still holds a placeholder, so there is nothing to encode yet: draw an empty dashed box. */
export type LetterQrCode = { kind: 'qr-code'; data: string; unfilled: boolean };

/** Hyphens in a message are U+2011, at which no line may be broken; a font without it can print an ordinary one. */
export type LetterInline =
  | { kind: 'text'; text: string }
  | { kind: 'bold'; text: string }
  | { kind: 'line-break' }
  | LetterPlaceholder;

/**
 * A place without a value, to be highlighted. `text` is what to print inside the highlight: `((name))` when plain,
 * `((name??` when conditional (its own text and `))` follow as ordinary text), `name` without brackets, or `hidden`
 * when the values of the letter are redacted.
 */
type LetterPlaceholder = { kind: 'placeholder'; style: PlaceholderStyle; text: string };

export type PlaceholderStyle = 'plain' | 'conditional' | 'no-brackets' | 'redacted';
