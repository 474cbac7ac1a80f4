import { diffWordsWithSpace } from 'diff';

export interface TextChange {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

// The time grows with the number of differences; two texts of megabytes that share nothing would take minutes.
const timeout_ms = 500;

/** What changed between two texts, word by word. Texts that differ too much are shown one after the other. */
export function diffWords(before: string, after: string): TextChange[] {
  const changes = diffWordsWithSpace(before, after, { timeout: timeout_ms });
  if (!changes) {
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ];
  }
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }));
}
