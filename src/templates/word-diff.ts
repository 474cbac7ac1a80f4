import { diffWordsWithSpace } from 'diff';

export interface TextChange {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

// The time grows with the number of differences: two texts of megabytes with nothing in common would take minutes.
const timeout_ms = 500;

/** Compares two texts word by word. If they differ too much, returns one after the other. */
export function diffWords(before: string, after: string): TextChange[] {
  const changes = diffWordsWithSpace(before, after, { timeout: timeout_ms });
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

/** Joins changed words with only a space between them, so that screen readers announce one change: "added: Good morning". */
function joinNeighbours(changes: readonly TextChange[]): TextChange[] {
  const joined: TextChange[] = [];
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
