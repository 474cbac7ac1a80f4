import { diffLines, diffWordsWithSpace } from 'diff';

export interface TextPair {
  before: string;
  after: string;
}

interface Passage {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** A passage, or how many characters are not shown. */
export type TextChange = Passage | { kind: 'left-out'; characters: number };

/** For all texts of a page. The time grows with the number of differences: two texts of megabytes with nothing in common would take minutes. */
const budget_ms = 300;
/** Longer texts are compared line by line. */
const maxByWords = 20_000;
/** A browser shows this much of a comparison at once. */
const maxShown = 50_000;
const maxPassages = 1_000;
/** What is shown before and after a long passage without changes. */
const context = 500;

/** Compares texts. If two differ too much, returns one after the other. Takes up to 300 ms for long texts. */
export function diffTexts(pairs: readonly TextPair[]): TextChange[][] {
  const end_ms = performance.now() + budget_ms;
  return pairs.map((pair) => shorten(diff(pair, end_ms - performance.now())));
}

function diff({ before, after }: TextPair, timeout: number): Passage[] {
  if (before === after) return [{ kind: 'same', text: after }];
  const isLong = Math.max(before.length, after.length) > maxByWords;
  const compare = () =>
    isLong ? diffLines(before, after, { timeout }) : diffWordsWithSpace(before, after, { timeout });
  const changes = timeout > 0 ? compare() : undefined;
  if (!changes) {
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ];
  }
  return joinNeighbours(
    changes.map(({ added, removed, value }) => ({ kind: added ? 'added' : removed ? 'removed' : 'same', text: value })),
  );
}

function shorten(passages: readonly Passage[]): TextChange[] {
  const length = passages.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= maxShown && passages.length <= maxPassages) return [...passages];
  const shown: TextChange[] = [];
  let room = maxShown;
  let leftOut = 0;
  for (const change of passages.flatMap(withoutMiddle)) {
    if (change.kind === 'left-out' && room > 0) shown.push(change);
    else if (change.kind === 'left-out') leftOut += change.characters;
    else {
      const text = shown.length < maxPassages ? change.text.slice(0, room) : '';
      if (text !== '') shown.push({ kind: change.kind, text });
      room = text === change.text ? room - text.length : 0;
      leftOut += change.text.length - text.length;
    }
  }
  return leftOut > 0 ? [...shown, { kind: 'left-out', characters: leftOut }] : shown;
}

function withoutMiddle(passage: Passage): TextChange[] {
  const { kind, text } = passage;
  const characters = text.length - 2 * context;
  if (kind !== 'same' || characters <= 0) return [passage];
  return [
    { kind, text: text.slice(0, context) },
    { kind: 'left-out', characters },
    { kind, text: text.slice(-context) },
  ];
}

/** Joins changed words with only a space between them, so that screen readers announce one change: "added: Good morning". */
function joinNeighbours(changes: readonly Passage[]): Passage[] {
  const joined: Passage[] = [];
  let removed = '';
  let added = '';
  const close = () => {
    if (removed !== '') joined.push({ kind: 'removed', text: removed });
    if (added !== '') joined.push({ kind: 'added', text: added });
    removed = added = '';
  };
  for (const [index, { kind, text }] of changes.entries()) {
    const isBetween = removed + added !== '' && index < changes.length - 1 && /^[^\S\n]+$/.test(text);
    if (kind === 'same' && !isBetween) {
      close();
      joined.push({ kind, text });
      continue;
    }
    if (kind !== 'added') removed += text;
    if (kind !== 'removed') added += text;
  }
  close();
  return joined;
}
