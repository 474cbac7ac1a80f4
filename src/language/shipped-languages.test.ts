import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { problemsOfTranslation } from './check-translation.ts';
import { Language, textOfKey } from './language.ts';
import { readPo } from './po.ts';

const folder = fileURLToPath(new URL('../../languages/', import.meta.url));
const readFile = (name: string) => readPo(readFileSync(`${folder}${name}`, 'utf8'));
const texts = readFile('messages.pot').entries.map(({ key }) => key);
const files = readdirSync(folder).filter((name) => name.endsWith('.po'));

/** `node scripts/check-languages.mjs fr --missing` lists what a translator has to do. */
it.each(files)('%s translates every text, with its values, tags and plural forms', (name) => {
  const { head, entries } = readFile(name);
  const tag = name.replace('.po', '');
  const language = new Language({ tag, catalogue: new Map() });
  const done = new Map(entries.flatMap(({ key, translation }) => (translation === '' ? [] : [[key, translation]])));
  const missing = texts.filter((key) => !done.has(key)).map((key) => `lacks: ${textOfKey(key)}`);
  const wrong = entries
    .filter(({ translation }) => translation !== '')
    .flatMap(({ key, translation, line }) =>
      problemsOfTranslation(language, textOfKey(key), translation).map((problem) => `line ${line} ${problem}`),
    );
  expect(head.get('Language')).toBe(tag);
  expect([...missing, ...wrong]).toEqual([]);
});
