import { expect, it } from 'vitest';
import { diffWords } from './word-diff.ts';

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
  const changes = diffWords(before, after);
  expect(changes.map(({ kind, text }) => marks[kind].join(text)).join('')).toBe(expected);
  const side = (other: string) => changes.flatMap(({ kind, text }) => (kind === other ? [] : [text])).join('');
  expect([side('added'), side('removed')]).toEqual([before, after]);
});
