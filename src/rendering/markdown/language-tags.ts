import { randomInt } from 'node:crypto';

/**
 * `[[en]]...[[/en]]`, `[[fr]]...[[/fr]]` and `[[rtl]]...[[/rtl]]` around parts of an email template set their language and direction for
 * screen readers and mail clients. Tags are read in the template before values are filled in, so a value can neither create nor break one.
 */
export type BlockTag = 'en' | 'fr' | 'rtl';

const tags: readonly BlockTag[] = ['en', 'fr', 'rtl'];
const attributes: Record<BlockTag, string> = { en: 'lang="en-ca"', fr: 'lang="fr-ca"', rtl: 'dir="rtl"' };

export function openingOf(tag: BlockTag): string {
  return `<div ${attributes[tag]}>`;
}

interface FoundTag {
  tag: BlockTag;
  closes: boolean;
  start: number;
  end: number;
}

/** Matches a whole placeholder, or a tag. */
const tagOrPlaceholder = /\(\(([^()]+)\)\)|\[\[(\/?)(en|fr|rtl)\]\]/g;

/** Finds the tags of a text. Tags in the optional text of a placeholder can only pair with each other. */
function findTags(text: string, offset = 0): { here: FoundTag[]; inside: FoundTag[][] } {
  const here: FoundTag[] = [];
  const inside: FoundTag[][] = [];
  for (const match of text.matchAll(tagOrPlaceholder)) {
    const [whole, placeholder, slash, tag] = match;
    const start = offset + match.index;
    if (placeholder === undefined) {
      here.push({ tag: tag as BlockTag, closes: slash === '/', start, end: start + whole.length });
    } else if (placeholder.includes('??')) {
      const textStart = whole.indexOf('??') + 2;
      inside.push(findTags(whole.slice(textStart, -2), start + textStart).here);
    }
  }
  return { here, inside };
}

/** Returns pairs that nest. If two pairs cross, the one that closes first wins. */
function pairTags(found: readonly FoundTag[]): FoundTag[] {
  const open: FoundTag[] = [];
  const paired: FoundTag[] = [];
  /**
   * Counts opened tags, so that a search runs only if it will succeed. A search removes the tags it passes, so all searches together are
   * one pass.
   */
  const opened = { en: 0, fr: 0, rtl: 0 };
  for (const tag of found) {
    if (!tag.closes) {
      open.push(tag);
      opened[tag.tag] += 1;
    } else if (opened[tag.tag] > 0) {
      const opening = open.findLastIndex((candidate) => candidate.tag === tag.tag);
      const [first, ...crossed] = open.splice(opening);
      for (const { tag: name } of [tag, ...crossed]) opened[name] -= 1;
      if (first) paired.push(first, tag);
    }
  }
  return paired;
}

/** Deeper pairs stay text, like deeper lists. */
const maxDepth = 6;

function withoutDeepPairs(paired: readonly FoundTag[]): FoundTag[] {
  let depth = 0;
  return paired.filter(({ closes }) => {
    const level = closes ? depth : depth + 1;
    depth += closes ? -1 : 1;
    return level <= maxDepth;
  });
}

/** Whether each of these tags is closed as often as it is opened. If `en` or `fr` is not, the tags of both stay text. */
function isBalanced(found: readonly FoundTag[], among: readonly BlockTag[]): boolean {
  return among.every((tag) => {
    const closings = found.filter((candidate) => candidate.tag === tag && candidate.closes).length;
    return closings * 2 === found.filter((candidate) => candidate.tag === tag).length;
  });
}

function pairedTags(text: string): { all: FoundTag[]; paired: FoundTag[] } {
  const { here, inside } = findTags(text);
  const all = [here, ...inside].flat();
  const languages = isBalanced(all, ['en', 'fr']);
  const paired = [here, ...inside]
    .flatMap((scope) => pairTags(scope.filter(({ tag }) => tag === 'rtl' || languages)))
    .sort((left, right) => left.start - right.start);
  return { all, paired: withoutDeepPairs(paired) };
}

/** Returns the distinct tags of a template that stay text: not closed, closed twice, or closed in the wrong order. */
export function findUnpairedTags(text: string): string[] {
  if (!text.includes('[[')) return [];
  const { all, paired } = pairedTags(text);
  const marked = new Set(paired);
  const unpaired = all.filter((tag) => !marked.has(tag));
  return [...new Set(unpaired.map(({ start, end }) => text.slice(start, end)))];
}

/** Marks replace tags in the filled text. Their number is random, so that nobody can write one into a value. */
const secret = randomInt(2 ** 47)
  .toString()
  .padStart(15, '0');
const markPattern = new RegExp(`\\uFDD2${secret}(\\d)(\\d)\\uFDD3`);

/** Replaces each tag of a pair with a mark. Returns undefined if there are none. */
export function markTags(text: string): string | undefined {
  if (!text.includes('[[')) return undefined;
  const { paired } = pairedTags(text);
  if (paired.length === 0) return undefined;
  let marked = '';
  let end = 0;
  for (const { tag, closes, start, end: next } of paired) {
    marked += `${text.slice(end, start)}\uFDD2${secret}${closes ? 1 : 0}${tags.indexOf(tag)}\uFDD3`;
    end = next;
  }
  return marked + text.slice(end);
}

export type Section = string | { tag: BlockTag; sections: Section[] };

/** Parses the filled text of a template with marks into a tree. Blank lines next to tags are ignored. */
export function splitAtTags(filled: string): Section[] {
  const parts = filled.split(markPattern);
  const root: Section[] = [];
  const open: Section[][] = [root];
  for (let index = 0; index < parts.length; index += 3) {
    const text = withoutBlankEdges(parts[index] ?? '', { start: index > 0, end: index + 1 < parts.length });
    if (text !== '') open.at(-1)?.push(text);
    const tag = tags[Number(parts[index + 2] ?? Number.NaN)];
    if (tag === undefined) continue;
    if (parts[index + 1] === '1') open.pop();
    else {
      const sections: Section[] = [];
      open.at(-1)?.push({ tag, sections });
      open.push(sections);
    }
  }
  return root;
}

/** Keeps the indentation of the first line with text, unless a tag is on the same line. */
function withoutBlankEdges(text: string, after: { start: boolean; end: boolean }): string {
  let shown = text;
  if (after.start) {
    const blank = text.length - text.trimStart().length;
    const lastLineBreak = text.lastIndexOf('\n', blank - 1);
    shown = text.slice(blank === 0 ? 0 : lastLineBreak === -1 ? blank : lastLineBreak + 1);
  }
  return after.end ? shown.trimEnd() : shown;
}
