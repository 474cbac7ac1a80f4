import { decodeEntities } from '../rendering/escape.ts';

/** A plain text as our Markdown, which prints it as it is written; its URLs become links. */
export function plainMarkdown(text: string): string {
  return withoutUnderlines(escapeAroundUrls(text.replaceAll('\r\n', '\n').trim()).replaceAll(/^( *)(?=#)/gm, '$1\\'));
}

const urlPattern = /https?:\/\/[^\s<]+/g;

/** URLs stay as they are: a backslash would change where they lead. */
function escapeAroundUrls(text: string): string {
  let markdown = '';
  let end = 0;
  for (const { index, 0: url } of text.matchAll(urlPattern)) {
    markdown += text.slice(end, index).replaceAll(/[\\`*_[\]~]/g, '\\$&') + url;
    end = index + url.length;
  }
  return markdown + text.slice(end).replaceAll(/[\\`*_[\]~]/g, '\\$&');
}

/** A line of dashes or equals signs would make the line above a heading, such as the dashes before a signature. */
function withoutUnderlines(markdown: string): string {
  return markdown.replaceAll(/^( *)(?=-[ -]*$)/gm, '$1\\').replaceAll(/(?<=[^\n]\n)(?= *=+ *$)/gm, '\n');
}

/** Their content is not text for readers. */
const skipped = new Set(['head', 'script', 'style', 'title', 'template', 'noscript']);
const blockElements = new Set([
  'p',
  'table',
  'ul',
  'ol',
  'blockquote',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'pre',
]);
const lineElements = new Set(['br', 'div', 'tr', 'li', 'section', 'article', 'header', 'footer']);

/** An HTML email as our Markdown: its text, with links, lists and headings. Takes linear time, whatever the HTML. */
export function markdownOfHtml(html: string): string {
  const parts: string[] = [];
  let link: { url: string; from: number } | undefined;
  const endLink = () => {
    if (!link) return;
    const text = parts.splice(link.from).join('').replaceAll(/\s+/g, ' ').trim();
    parts.push(linkTo(link.url, text));
    link = undefined;
  };
  for (const piece of piecesOf(html)) {
    if (piece.kind === 'text') {
      const text = decodeEntities(piece.text).replaceAll(/[\s\u00a0]+/g, ' ');
      parts.push(escapeAroundUrls(text).replace(/^( ?)(?=#)/, '$1\\'));
      continue;
    }
    const { name, closing, attributes } = piece;
    if (name === 'a') {
      endLink();
      const url = closing ? undefined : urlIn(attributes);
      if (url) link = { url, from: parts.length };
    } else if (blockElements.has(name)) {
      endLink();
      parts.push('\n\n');
      if (!closing && /^h[1-3]$/.test(name)) parts.push('# ');
    } else if (lineElements.has(name)) {
      if (!closing || name !== 'br') parts.push('\n');
      if (!closing && name === 'li') parts.push('* ');
    } else if (name === 'td' || name === 'th') parts.push(' ');
  }
  endLink();
  return withoutUnderlines(tidy(parts.join('')));
}

function linkTo(url: string, text: string): string {
  if (text === '' || text === url || text.replaceAll('\\', '') === url) return ` ${url} `;
  return `[${text}](${url.replaceAll(/[()\s]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
}

/** Only web addresses: others, such as cid: and mailto:, are left out. */
function urlIn(attributes: string): string | undefined {
  const [, , double, single, bare] = /(^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/i.exec(attributes) ?? [];
  const url = decodeEntities(double ?? single ?? bare ?? '').trim();
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' ').trim())
    .filter((line, index, all) => line !== '' || (index > 0 && all[index - 1] !== ''))
    .filter((line) => line !== '*' && line !== '#')
    .join('\n')
    .trim();
}

type Piece = { kind: 'text'; text: string } | { kind: 'tag'; name: string; closing: boolean; attributes: string };

function* piecesOf(html: string): Generator<Piece> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open > at || open < 0) yield { kind: 'text', text: html.slice(at, open < 0 ? html.length : open) };
    if (open < 0) return;
    if (html.startsWith('<!--', open)) {
      at = after(html, '-->', open);
      continue;
    }
    const end = html.indexOf('>', open);
    if (end < 0) return;
    at = end + 1;
    const [, slash = '', name = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(html.slice(open, Math.min(end, open + 32))) ?? [];
    if (name === '') continue;
    const tag = name.toLowerCase();
    const closing = slash !== '';
    if (!closing && skipped.has(tag)) at = afterElement(html, tag, at);
    else yield { kind: 'tag', name: tag, closing, attributes: html.slice(open + 1 + slash.length + name.length, end) };
  }
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

function afterElement(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}\\b`, 'gi');
  end.lastIndex = from;
  return end.exec(html) ? after(html, '>', end.lastIndex) : html.length;
}
