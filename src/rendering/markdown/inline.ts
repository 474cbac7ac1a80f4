import { type OpenPlaceholder, splitAtMarks, unmark } from '../open-placeholders.ts';
import { trimEndOf } from '../whitespace.ts';
import { type FoundLink, linkFinder } from './links.ts';
import type { MarkdownInline } from './tree.ts';

export interface InlineGrammar {
  /** Letters have no links: `[text](url)` stays literal there. */
  links: boolean;
  /** The placeholders that the marks in the text stand for. */
  open: readonly OpenPlaceholder[];
}

const specialPattern = /[\\\n[]|!\[|https?:\/\//g;

/** Includes `<` and `>`, escaped or not: a sanitised value has a backslash before them. */
const escapable = /[\\`*{}[\]()#+\-.!_<>~|]|&[lg]t;/y;

/** Allowed inside a URL but not at its end. */
const notAtEndOfUrl = '.,:"\')]';
const urlEnd = /[\s<]/g;

const hasSpecial = /[\\\n[\uFDD0]|https?:\/\//;

export function parseInline(text: string, grammar: InlineGrammar): MarkdownInline[] {
  return hasSpecial.test(text) ? parse(text, grammar, false) : [{ kind: 'text', text }];
}

function parse(source: string, grammar: InlineGrammar, insideLink: boolean): MarkdownInline[] {
  const text = trimEndOf('\n', source);
  const findLink = linkFinder(text);
  const lastLineBreak = text.trimEnd().length;
  const special = new RegExp(specialPattern);
  const inlines: MarkdownInline[] = [];
  let pending = '';
  let start = 0;

  const flushText = () => {
    for (const part of splitAtMarks(pending, grammar.open)) {
      inlines.push(typeof part === 'string' ? { kind: 'text', text: part } : { kind: 'placeholder', open: part });
    }
    pending = '';
  };
  const flush = (next: MarkdownInline) => {
    flushText();
    inlines.push(next);
  };

  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    const at = match.index;
    const mark = match[0];
    let end = at;
    if (mark === '\\') {
      escapable.lastIndex = at + 1;
      const escaped = escapable.exec(text);
      if (!escaped) continue;
      pending += text.slice(start, at) + escaped[0];
      end = at + 1 + escaped[0].length;
    } else if (mark === '\n') {
      if (at >= lastLineBreak) break;
      pending += trimEndOf(' ', text.slice(start, at));
      flush({ kind: 'line-break' });
      end = at + 1;
    } else if (mark === '[' || mark === '![') {
      const isImage = mark === '![';
      const link = isImage || grammar.links ? findLink(at + mark.length - 1) : undefined;
      if (!link) continue;
      pending += text.slice(start, at);
      const inlinesOfLink = isImage ? [] : parse(link.text, grammar, true);
      if (insideLink) for (const inline of inlinesOfLink) flush(inline);
      // Without a text there would be nothing to click.
      else if (!isImage && inlinesOfLink.every(isBlank)) flush({ kind: 'url', url: unmark(link.url, grammar.open) });
      else if (!isImage) flush({ kind: 'link', ...destination(link, grammar), inlines: inlinesOfLink });
      end = link.end;
    } else {
      const url = readUrl(text, at, mark.length);
      if (url === undefined) continue;
      pending += text.slice(start, at);
      if (insideLink) pending += url;
      else flush({ kind: 'url', url: unmark(url, grammar.open) });
      end = at + url.length;
    }
    start = end;
    special.lastIndex = end;
  }
  pending += text.slice(start);
  flushText();
  return inlines;
}

function isBlank(inline: MarkdownInline): boolean {
  return inline.kind === 'line-break' || (inline.kind === 'text' && inline.text.trim() === '');
}

function destination({ url, title }: FoundLink, { open }: InlineGrammar): { url: string; title: string | null } {
  return { url: unmark(url, open), title: title === null ? null : unmark(title, open) };
}

function readUrl(text: string, start: number, schemeLength: number): string | undefined {
  urlEnd.lastIndex = start;
  let end = urlEnd.exec(text)?.index ?? text.length;
  while (notAtEndOfUrl.includes(text[end - 1] ?? '')) end--;
  return end - start >= schemeLength + 2 ? text.slice(start, end) : undefined;
}
