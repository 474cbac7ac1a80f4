import { describe, expect, it, vi } from 'vitest';
import { processorTime_ms } from '../../test/kit/process/processor-time.ts';
import { diffTexts, type TextChange } from './word-diff.ts';

const compare = (before: string, after: string) => diffTexts([{ before, after }])[0] ?? [];
const lines = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');

it.each([
  ['Hello Ada', 'Good morning, dear Ada', '[-Hello -][+Good morning, dear +]Ada'],
  ['See you there', 'Meet us there', '[-See you-][+Meet us+] there'],
  ['one two', 'one two three four', 'one two[+ three four+]'],
  ['a b c', 'a c', 'a [-b -]c'],
  ['first\nsecond', 'erste\nzweite', '[-first-][+erste+]\n[-second-][+zweite+]'],
  ['same', 'same', 'same'],
  ['', 'new', '[+new+]'],
])('%j to %j: neighbouring words are one change', (before, after, expected) => {
  const marks = { same: ['', ''], removed: ['[-', '-]'], added: ['[+', '+]'] };
  const changes = compare(before, after);
  const write = (change: TextChange) => (change.kind === 'left-out' ? '' : marks[change.kind].join(change.text));
  expect(changes.map(write).join('')).toBe(expected);
  const side = (other: string) =>
    changes.flatMap((one) => ('text' in one && one.kind !== other ? [one.text] : [])).join('');
  expect([side('added'), side('removed')]).toEqual([before, after]);
});

describe('long texts', () => {
  it('are compared by lines, and what did not change is left out', () => {
    const [start, end] = [lines(5_000, 'first'), lines(5_000, 'last')];
    const changes = compare(`${start}old words\n${end}`, `${start}new words\n${end}`);
    expect(changes.map(({ kind }) => kind)).toEqual([
      ...['same', 'left-out', 'same', 'removed', 'added', 'same', 'left-out', 'same'],
    ]);
    expect(changes.slice(3, 5)).toEqual([
      { kind: 'removed', text: 'old words\n' },
      { kind: 'added', text: 'new words\n' },
    ]);
    const shown = changes.reduce((sum, one) => sum + ('text' in one ? one.text.length : one.characters), 0);
    expect(shown).toBe(start.length + end.length + 20);
  });

  it('share one budget, and are shown in part', () => {
    const pairs = Array.from({ length: 10 }, (_, index) => ({
      before: lines(20_000, `a${index}`),
      after: lines(20_000, `b${index}`),
    }));
    let compared: TextChange[][] = [];
    const used_ms = processorTime_ms(() => {
      compared = diffTexts(pairs);
    });
    expect(used_ms).toBeLessThan(3_000);
    for (const [index, changes] of compared.entries()) {
      const [shown, rest] = changes;
      expect([changes.length, shown?.kind, rest?.kind]).toEqual([2, 'removed', 'left-out']);
      const { before = '', after = '' } = pairs[index] ?? {};
      expect(rest).toEqual({ kind: 'left-out', characters: before.length + after.length - 50_000 });
    }
  });

  it('have at most a thousand passages', async () => {
    const before = lines(900, 'a word on each line');
    const after = before.replaceAll(/[02468]\n/g, 'even\n');
    // On a busy machine the budget may pass before the comparison has ended.
    const changes = await vi.waitUntil(() => [compare(before, after)].find(({ length }) => length > 2), 60_000);
    expect(changes).toHaveLength(1_001);
    expect(changes.at(-1)?.kind).toBe('left-out');
  });
});
