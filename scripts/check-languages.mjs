// Checks translations: `node scripts/ready.mjs && node scripts/check-languages.mjs fr [--missing]`, or all files without a name.
import * as fs from 'node:fs';
import { resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));
const { problemsOfTranslation } = await import('../dist/language/check-translation.js');
const { Language, textOfKey } = await import('../dist/language/language.js');
const { readPo } = await import('../dist/language/po.js');

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const keys = new Set(readPo(fs.readFileSync('languages/messages.pot', 'utf8')).entries.map(({ key }) => key));
for (const name of fs.readdirSync('languages').filter((one) => one.endsWith('.po'))) {
  const tag = name.replace('.po', '');
  if (wanted.length === 0 || wanted.includes(tag)) check(tag, readPo(fs.readFileSync(`languages/${name}`, 'utf8')));
}

function check(tag, { head, entries }) {
  const done = entries.filter(({ translation }) => translation !== '');
  const translated = new Set(done.map(({ key }) => key));
  const shown = new Set(done.filter(({ isDraft, key }) => !isDraft && keys.has(key)).map(({ key }) => key));
  const missing = [...keys].filter((key) => !translated.has(key));
  const problems = [
    ...(head.get('Language') === tag ? [] : [`line 1 does not say "Language: ${tag}"`]),
    ...problemsOfKeys(entries),
    ...problemsOfTexts(new Language({ tag, catalogue: new Map() }), done),
  ];
  for (const problem of problems) process.stderr.write(`${tag}.po, ${problem}\n`);
  if (process.argv.includes('--missing'))
    for (const key of missing) process.stdout.write(`missing: ${textOfKey(key)}\n`);
  const share = ((100 * shown.size) / keys.size).toFixed(1);
  process.stdout.write(`${tag}.po: ${share} % can be read, ${missing.length} missing, ${problems.length} problems\n`);
  if (problems.length > 0) process.exitCode = 1;
}

function problemsOfKeys(entries) {
  const seen = new Set();
  return entries.flatMap(({ key, line }) => {
    const isSecond = seen.has(key);
    seen.add(key);
    if (isSecond) return [`line ${line} translates a text a second time: ${textOfKey(key)}`];
    return keys.has(key) ? [] : [`line ${line} translates a text that does not exist: ${textOfKey(key)}`];
  });
}

function problemsOfTexts(language, done) {
  return done.flatMap(({ key, translation, line }) =>
    problemsOfTranslation(language, textOfKey(key), translation).map((problem) => `line ${line} ${problem}`),
  );
}
