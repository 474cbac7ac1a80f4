import { printOpening } from '../placeholders.ts';
import type { MarkdownBlock, MarkdownInline, MarkdownListItem } from './tree.ts';

const width = 65;
const underlineByLevel = { 1: '='.repeat(width), 2: '-'.repeat(width) };
const ruleLine = '=-'.repeat(width).slice(0, width);

interface Style {
  /** A summary is one line of words: no underlines, rules or URLs. */
  summary: boolean;
}

/** Each block starts with the line breaks that separate it from the previous one. */
export function renderPlainText(blocks: readonly MarkdownBlock[]): string {
  return renderBlocks(blocks, { summary: false });
}

export function renderSummary(blocks: readonly MarkdownBlock[]): string {
  return renderBlocks(blocks, { summary: true });
}

function renderBlocks(blocks: readonly MarkdownBlock[], style: Style): string {
  return blocks.map((block) => renderBlock(block, style)).join('');
}

function renderBlock(block: MarkdownBlock, style: Style): string {
  switch (block.kind) {
    case 'heading': {
      const text = renderInlines(block.inlines, style);
      if (style.summary || (block.level !== 1 && block.level !== 2)) return renderParagraph(text);
      return `\n\n\n${text}\n${underlineByLevel[block.level]}`;
    }
    case 'paragraph':
      return renderParagraph(renderInlines(block.inlines, style));
    case 'list':
      return `\n${block.items.map((item, index) => renderItem(item, block.ordered ? index + 1 : 0, style)).join('')}`;
    case 'inset':
      return renderBlocks(block.blocks, style);
    case 'rule':
      return style.summary ? '' : renderParagraph(ruleLine);
    case 'code':
      return block.text;
    case 'tagged':
      return renderParagraph(renderBlocks(block.blocks, style).replace(/^\n+/, ''));
    case 'gap':
      return '\n';
  }
}

function renderParagraph(text: string): string {
  return text.trim() === '' ? '' : `\n\n${text}`;
}

/** Numbered from 1, regardless of the template; 0 for bullets. */
function renderItem({ loose, blocks }: MarkdownListItem, number: number, style: Style): string {
  const texts = blocks.map((block) =>
    block.kind === 'paragraph' && !loose ? renderInlines(block.inlines, style) : renderBlock(block, style),
  );
  return `\n${number === 0 ? '•' : `${number}.`} ${texts.join('').trim()}`;
}

function renderInlines(inlines: readonly MarkdownInline[], style: Style): string {
  return inlines.map((inline) => renderInline(inline, style)).join('');
}

function renderInline(inline: MarkdownInline, style: Style): string {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'line-break':
      return '\n';
    case 'placeholder':
      return printOpening(inline.open);
    case 'url':
      return inline.url;
    case 'strong':
      return `**${renderInlines(inline.inlines, style)}**`;
    case 'emphasis':
      return `_${renderInlines(inline.inlines, style)}_`;
    case 'link': {
      const text = renderInlines(inline.inlines, style) + (inline.title ? ` (${inline.title})` : '');
      return style.summary ? text : `${text}: ${inline.url}`;
    }
  }
}
