import { expect, it } from 'vitest';
import { readPo, readPoHead } from './po.ts';

it('reads what tools for translators write', () => {
  const text =
    '\uFEFFmsgid ""\nmsgstr ""\n"Language: nl\\n"\n"X-Reviewed-By: Anna: of Utrecht\\n"\n\n' +
    '#. label\n#: src/a.tsx\nmsgctxt "verb"\nmsgid "Open"\nmsgstr "Openen"\n\n' +
    '#, fuzzy\nmsgid "Two "\n"lines\\n\\"quoted\\" \\\\"\nmsgstr "Twee"\n#~ msgid "gone"\nmsgid "Next"\r\nmsgstr ""\r\n';
  const { head, entries } = readPo(text);
  expect([...head]).toEqual([
    ['Language', 'nl'],
    ['X-Reviewed-By', 'Anna: of Utrecht'],
  ]);
  for (const same of [text, text.replaceAll(/\r?\n/g, '\r\n')]) expect(readPoHead(same)).toEqual(head);
  expect(entries.map(({ key, translation, isDraft }) => [key, translation, isDraft])).toEqual([
    ['verb\u0004Open', 'Openen', false],
    ['Two lines\n"quoted" \\', 'Twee', true],
    ['Next', '', false],
  ]);
});

it('reads no head where there is none', () => {
  expect(readPoHead('')).toEqual(new Map());
  expect(readPoHead('msgid "a"\nmsgstr "b"\n\nmsgid ""\nmsgstr "X: y\\n"\n')).toEqual(new Map());
});

it.each([
  ['msgid "a"\nmsgid "b"\nmsgstr "c"', 'line 2 has a second msgid'],
  ['msgid "a"\n\nmsgid "b"\nmsgstr ""', 'line 3 has a second msgid'],
  ['msgid "a"', 'line 1 has a msgid without a msgstr'],
  ['"a"', 'line 1 continues no text'],
  ['msgid "a', 'line 1 is neither a comment nor a text in quotes'],
  ['msgid "a"\nmsgid_plural "b"', 'line 2 has msgid_plural: plural forms belong into the message'],
])('refuses %j', (text, problem) => {
  expect(() => readPo(text)).toThrow(problem);
});
