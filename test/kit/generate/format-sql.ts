/** Lines longer than this are broken after commas and before `and` and `or`. */
const maxLine = 110;
/** A query in parentheses up to this length stays on its line. */
const maxInline = 60;

/** The branches of a case with more of them have a line each. */
const maxBranches = 1;

const token = /\/\*.*?\*\/|'(?:[^']|'')*'|"[^"]*"|[\w$.]+|[(),;]|[^\s\w$.(),;'"]+/gs;
const query = /^(?:with|select|insert|update|delete)$/;

/** These begin a line, unless the word before is part of the same clause. */
const clauses: ReadonlyMap<string, RegExp | undefined> = new Map([
  ['with', undefined],
  ['select', undefined],
  ['insert', undefined],
  ['update', /^(?:for|do)$/],
  ['delete', undefined],
  ['from', /^(?:delete|distinct)$/],
  ['where', undefined],
  ['group', undefined],
  ['having', undefined],
  ['order', undefined],
  ['limit', undefined],
  ['returning', undefined],
  ['set', /^update$/],
  ['union', undefined],
  ['left', undefined],
  ['cross', undefined],
  ['join', /^(?:left|cross|lateral)$/],
  ['for', undefined],
]);

interface Word {
  text: string;
  isSpaced: boolean;
}

/** One clause per line, queries in parentheses indented. The words and their order stay the same. */
export function formatSql(text: string): string {
  const words = wordsOf(text);
  const lines: string[] = [];
  let line = '';
  /** Says for each open parenthesis and case whether its query or its branches have lines of their own. */
  const open: boolean[] = [];
  const indent = () => '  '.repeat(open.filter(Boolean).length);
  const endLine = () => {
    if (line.trim() !== '') lines.push(...wrapped(line));
    line = '';
  };
  const add = ({ text, isSpaced }: Word) => {
    line += line === '' ? indent() + text : `${isSpaced ? ' ' : ''}${text}`;
  };
  for (const [index, word] of words.entries()) {
    const before = words[index - 1]?.text ?? '';
    if (word.text === ')' || word.text === 'end') {
      if (open.pop()) endLine();
      add(word);
      continue;
    }
    if (word.text === 'case') {
      add(word);
      open.push(branchesOf(words, index) > maxBranches);
      continue;
    }
    const isOnTop = open.at(-1) ?? true;
    const isConflict = word.text === 'on' && words[index + 1]?.text === 'conflict';
    const isClause = isConflict || (clauses.has(word.text) && !clauses.get(word.text)?.test(before));
    if (isOnTop && (isClause || /^(?:when|else)$/.test(word.text))) endLine();
    add(word);
    if (word.text.startsWith('/*')) endLine();
    if (word.text === '(') {
      const isLong = /^(?:as|materialized)$/.test(before) || lengthOf(words, index) > maxInline;
      const opensQuery = isLong && query.test(words[index + 1]?.text ?? '');
      open.push(opensQuery);
      if (opensQuery) endLine();
    }
  }
  endLine();
  return `${lines.join('\n')}\n`;
}

function wordsOf(text: string): Word[] {
  let end = 0;
  return [...text.matchAll(token)].map((match) => {
    const isSpaced = match.index > end;
    end = match.index + match[0].length;
    return { text: match[0], isSpaced };
  });
}

/** Up to the parenthesis that closes the one at `start`. */
function lengthOf(words: Word[], start: number): number {
  let depth = 0;
  let length = 0;
  for (const { text, isSpaced } of words.slice(start)) {
    length += text.length + (isSpaced ? 1 : 0);
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (depth === 0) break;
  }
  return length;
}

/** Counts the branches of the case at `start`. */
function branchesOf(words: Word[], start: number): number {
  let depth = 0;
  let branches = 0;
  for (const { text } of words.slice(start)) {
    if (text === 'case') depth += 1;
    if (text === 'end') depth -= 1;
    if (depth === 0) break;
    if (text === 'when' && depth === 1) branches += 1;
  }
  return branches;
}

/** Breaks a long line outside of parentheses where it can, then within. */
function wrapped(line: string, indent = `${/^ */.exec(line)?.[0] ?? ''}  `): string[] {
  if (line.length <= maxLine) return [line];
  for (const depth of [0, 1, 2, 3, 4]) {
    const at = lastBreak(line, depth, indent.length);
    if (at === undefined) continue;
    return [line.slice(0, at).trimEnd(), ...wrapped(indent + line.slice(at).trimStart(), indent)];
  }
  return [line];
}

/** The alias of a table only with its columns. */
const mayBreak = /^ (?:and|or|case|when|else|on|order by|as \w+ \() ?/;

function lastBreak(line: string, maxDepth: number, after: number): number | undefined {
  let depth = 0;
  let found: number | undefined;
  let isQuoted = false;
  for (let at = 0; at < Math.min(line.length, maxLine); at += 1) {
    const character = line[at];
    if (character === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth > maxDepth || at <= after) continue;
    if (character === ',' && line[at + 1] === ' ') found = at + 1;
    else if (mayBreak.test(line.slice(at)) && !line.slice(0, at).endsWith(' case')) found = at;
  }
  return found;
}
