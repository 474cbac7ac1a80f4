import { escapeQuotes, hrefOf } from '../escape.ts';
import { highlightOpening } from '../placeholders.ts';
import { openingOf } from './language-tags.ts';
import type { MarkdownBlock, MarkdownInline, MarkdownListItem } from './tree.ts';

/*
 * Mail clients support few styles and even fewer style sheets, so every element has inline styles. `Margin` is capitalised because one
 * client drops it otherwise. These strings must not change, because API clients compare them.
 */
const textStyle = 'font-size: 19px; line-height: 25px; color: #0B0C0C;';
const paragraphTag = `<p style="Margin: 0 0 20px 0; ${textStyle}">`;
const headingStyle = 'Margin: 0 0 15px 0; padding: 10px 0 0 0;';
const headings = {
  h2: `<h2 style="${headingStyle} font-size: 27px; line-height: 35px; font-weight: bold; color: #0B0C0C;">`,
  h3: `<h3 style="${headingStyle} font-size: 19px; line-height: 25px; font-weight: bold; color: #0B0C0C;">`,
};
const ruleTag = '<hr style="border: 0; height: 1px; background: #B1B4B6; Margin: 30px 0 30px 0;">';
const linkTag = '<a style="word-wrap: break-word; color: #1D70B8;"';
const listTable =
  '<table role="presentation" style="padding: 0 0 20px 0;"><tr><td style="font-family: Helvetica, Arial, sans-serif;">';
const lists = {
  ul: '<ul style="Margin: 0 0 0 20px; padding: 0; list-style-type: disc;">',
  ol: '<ol style="Margin: 0 0 0 20px; padding: 0; list-style-type: decimal;">',
};
const item = '<li style="Margin: 5px 0 5px; padding: 0 0 0 5px; font-size: 19px;line-height: 25px; color: #0B0C0C;">';
const insetTag =
  '<div style="Margin: 0 0 20px 0;"><blockquote style="Margin: 0; border-left: 10px solid #B1B4B6;' +
  'padding: 15px 0 0.1px 15px; font-size: 19px; line-height: 25px;">';

/** Renders the body of an email. The tree must contain escaped text: only quotes in attributes are escaped here. */
export function renderEmailHtml(blocks: readonly MarkdownBlock[]): string {
  return blocks.map(renderBlock).join('');
}

function renderBlock(block: MarkdownBlock): string {
  switch (block.kind) {
    case 'heading':
      return renderHeading(block.level, renderInlines(block.inlines));
    case 'paragraph':
      return renderParagraph(renderInlines(block.inlines));
    case 'list': {
      const tag = block.ordered ? 'ol' : 'ul';
      return `${listTable}${lists[tag]}${block.items.map(renderItem).join('')}</${tag}></td></tr></table>`;
    }
    case 'inset':
      return `${insetTag}${renderEmailHtml(block.blocks)}</blockquote></div>`;
    case 'rule':
      return ruleTag;
    case 'code':
      return block.text;
    case 'tagged':
      return `${openingOf(block.tag)}${renderEmailHtml(block.blocks)}</div>`;
    case 'gap':
      return '<br>';
  }
}

function renderHeading(level: number, html: string): string {
  if (level > 2) return renderParagraph(html);
  const tag = level === 1 ? 'h2' : 'h3';
  return `${headings[tag]}${html}</${tag}>`;
}

function renderParagraph(html: string): string {
  return html.trim() === '' ? '' : `${paragraphTag}${html}</p>`;
}

function renderItem({ loose, blocks }: MarkdownListItem): string {
  const html = blocks.map((block) =>
    block.kind === 'paragraph' && !loose ? renderInlines(block.inlines) : renderBlock(block),
  );
  return `${item}${html.join('').trim()}</li>`;
}

function renderInlines(inlines: readonly MarkdownInline[]): string {
  return inlines.map(renderInline).join('');
}

function renderInline(inline: MarkdownInline): string {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'line-break':
      return '<br>';
    case 'placeholder':
      return highlightOpening(inline.open);
    case 'url':
      return `${linkTag} href="${hrefOf(inline.url)}">${inline.url}</a>`;
    case 'strong':
      return `<strong>${renderInlines(inline.inlines)}</strong>`;
    case 'emphasis':
      return `<em>${renderInlines(inline.inlines)}</em>`;
    case 'link': {
      const title = inline.title ? ` title="${escapeQuotes(inline.title)}"` : '';
      return `${linkTag} href="${hrefOf(inline.url)}"${title}>${renderInlines(inline.inlines)}</a>`;
    }
  }
}
