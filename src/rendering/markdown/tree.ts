import type { OpenPlaceholder } from '../placeholders.ts';
import type { BlockTag } from './language-tags.ts';

/** A parsed Markdown text. Strings are not changed: they are escaped if the source was. */
export type MarkdownBlock =
  | { kind: 'heading'; level: number; inlines: MarkdownInline[] }
  /** `source` is the text before links and line breaks were parsed. */
  | { kind: 'paragraph'; source: string; inlines: MarkdownInline[] }
  | { kind: 'list'; ordered: boolean; items: MarkdownListItem[] }
  | { kind: 'inset'; blocks: MarkdownBlock[] }
  | { kind: 'rule' }
  | { kind: 'code'; text: string }
  /** Only in emails. */
  | { kind: 'tagged'; tag: BlockTag; blocks: MarkdownBlock[] }
  /** Blank lines that separate nothing: at the very start, or between the paragraphs of a list item. */
  | { kind: 'gap' };

/** Items with blank lines between or inside them are loose: their texts are paragraphs, not bare text. */
export interface MarkdownListItem {
  loose: boolean;
  blocks: MarkdownBlock[];
}

export type MarkdownInline =
  | { kind: 'text'; text: string }
  | { kind: 'line-break' }
  | { kind: 'placeholder'; open: OpenPlaceholder }
  | { kind: 'url'; url: string }
  /** Only in emails of services whose clients are those of GC Notify. */
  | { kind: 'strong' | 'emphasis'; inlines: MarkdownInline[] }
  | { kind: 'link'; url: string; title: string | null; inlines: MarkdownInline[] };
