// Writes languages/messages.pot, the list of all texts that are marked for translation. With --check it changes nothing and
// fails if the list is not current, if a message has a wrong syntax, or if a page has a text that is not marked.
import * as fs from 'node:fs';
import { resolve } from 'node:path';
import { parse } from '@formatjs/icu-messageformat-parser';
import { findMarkedTexts } from './texts/marked-texts.mjs';
import { codeFiles, findPlainTexts } from './texts/plain-texts.mjs';
import { formatPot } from './texts/pot.mjs';
import { parseFile, sourceFiles } from './texts/walk.mjs';

process.chdir(resolve(import.meta.dirname, '..'));
const isCheck = process.argv.includes('--check');
const target = 'languages/messages.pot';
/** Where every text is for people. Elsewhere texts are marked that people can see. */
const folders = ['src/console/'];

const texts = [];
const problems = [];
for (const path of sourceFiles()) {
  const file = parseFile(path);
  const marked = findMarkedTexts(file);
  texts.push(...marked.texts);
  problems.push(...marked.problems);
  if (!folders.some((folder) => path.startsWith(folder)) || codeFiles.includes(path)) continue;
  findPlainTexts(file.program, (node) => {
    const line = file.source.slice(0, node.start).split('\n').length;
    problems.push(`${path}:${line}: mark this text with t or <T>: ${file.source.slice(node.start, node.end).trim()}`);
  });
}
problems.push(...texts.flatMap(syntaxProblem));
const pot = formatPot(texts);
if (!isCheck) {
  fs.mkdirSync('languages', { recursive: true });
  fs.writeFileSync(target, pot);
} else if (!fs.existsSync(target) || fs.readFileSync(target, 'utf8') !== pot) {
  problems.push(`${target} is not current: run npm run texts`);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (isCheck && problems.length > 0) process.exitCode = 1;

function syntaxProblem({ path, text }) {
  try {
    parse(text);
    return [];
  } catch (error) {
    return [`${path}: ${error.message} in the message: ${text}`];
  }
}
