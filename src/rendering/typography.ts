import { removeSpaceBeforePunctuation } from './whitespace.ts';

/** A piece of text, or a tag that stands between two pieces and is left alone. */
type Token = { text: string; isTag: boolean };

/** Inside these, quotes are part of an address or of code. */
const LEFT_STRAIGHT = /^<(\/?)(?:a|code|kbd|math|pre|samp|script|style|tt)\b/i;

/**
 * What a careful writer would have typed: no space before a comma, curly quotes, dashes with spaces. The text may hold
 * tags: they are not touched, nor are quotes inside a link.
 */
export function applyTypography(text: string): string {
  return lengthenDashes(curlQuotes(removeSpaceBeforePunctuation(text)));
}

/** The same for one text that is cut in pieces by something other than tags. The pieces stay as many as they were. */
export function applyTypographyToPieces(pieces: readonly string[]): string[] {
  const state: Curling = { straight: 0, before: '' };
  return pieces.map((piece) => lengthenDashes(curlPiece(removeSpaceBeforePunctuation(piece), state)));
}

/** A dash keeps its place in a line: a line that begins with one is a list of its own making. */
function lengthenDashes(text: string): string {
  if (!/[^\S\n][-–—]/.test(text)) return text;
  return text.replace(/(?<![^\S\n])[^\S\n]+[-–—]{1,3}[^\S\n]+/g, ' – ');
}

type Curling = { straight: number; before: string };

function curlQuotes(text: string): string {
  if (!/['"]/.test(text)) return text;
  const state: Curling = { straight: 0, before: '' };
  let curled = '';
  for (const token of splitTags(text)) {
    if (token.isTag) {
      const tag = LEFT_STRAIGHT.exec(token.text);
      if (tag) state.straight = Math.max(0, state.straight + (tag[1] === '/' ? -1 : 1));
      curled += token.text;
    } else if (state.straight > 0) {
      state.before = token.text.slice(-1);
      curled += token.text;
    } else {
      curled += curlPiece(token.text, state);
    }
  }
  return curled;
}

function* splitTags(text: string): Generator<Token> {
  let start = 0;
  for (let open = text.indexOf('<'); open !== -1; open = text.indexOf('<', start)) {
    const close = text.indexOf('>', open);
    if (close === -1) break;
    if (open > start) yield { text: text.slice(start, open), isTag: false };
    yield { text: text.slice(open, close + 1), isTag: true };
    start = close + 1;
  }
  if (start < text.length) yield { text: text.slice(start), isTag: false };
}

function curlPiece(piece: string, state: Curling): string {
  const { before } = state;
  state.before = piece.slice(-1);
  if (piece === "'") return /\S/.test(before) ? '’' : '‘';
  if (piece === '"') return /\S/.test(before) ? '”' : '“';
  return straightenAddresses(curlDoubleQuotes(curlSingleQuotes(curlQuotesInQuotes(piece))));
}

/*
 * The rules of SmartyPants, which people know from every publishing tool, its habits included: an apostrophe before a
 * year opens ('80s), a quote after a dash without a space closes. Each pattern looks at a fixed number of characters
 * and takes the one before a quote with it, so of two quotes in a row the second is left to a later rule.
 */

const WORD = '[\\p{L}\\p{N}_]';
const OPENS_AFTER = '(?<=\\s|&nbsp;|--)';
const CLOSES_AFTER = '([^ \\t\\r\\n[{(\\-])';
const POSSESSIVE = `s(?!${WORD})`;

const DOUBLE_THEN_SINGLE = new RegExp(`"'(?=${WORD})`, 'gu');
const SINGLE_THEN_DOUBLE = new RegExp(`'"(?=${WORD})`, 'gu');
const DECADE = new RegExp(`(?<=${WORD})'(?=\\p{Nd}{2}s)`, 'gu');
const SINGLE_OPENING = new RegExp(`${OPENS_AFTER}'(?=${WORD})`, 'gu');
const SINGLE_CLOSING = new RegExp(`${CLOSES_AFTER}'(?!\\s|${POSSESSIVE}|\\p{Nd})`, 'gu');
const SINGLE_AT_END_OF_WORD = new RegExp(`${CLOSES_AFTER}'(?=\\s|${POSSESSIVE})`, 'gu');
const DOUBLE_OPENING = new RegExp(`${OPENS_AFTER}"(?=${WORD})`, 'gu');
const DOUBLE_BEFORE_SPACE = /"(?=\s)/g;
const DOUBLE_FIRST_OF_ALL = /^"(?=[!-%'-/:-@[-`{-~])/;
const DOUBLE_CLOSING = new RegExp(`${CLOSES_AFTER}"`, 'gu');

function curlQuotesInQuotes(text: string): string {
  return text.replace(DOUBLE_THEN_SINGLE, '“‘').replace(SINGLE_THEN_DOUBLE, '‘“');
}

function curlSingleQuotes(text: string): string {
  if (!text.includes("'")) return text;
  return text
    .replace(DECADE, '’')
    .replace(SINGLE_OPENING, '‘')
    .replace(SINGLE_CLOSING, '$1’')
    .replace(SINGLE_AT_END_OF_WORD, '$1’')
    .replaceAll("'", '‘');
}

function curlDoubleQuotes(text: string): string {
  if (!text.includes('"')) return text;
  return text
    .replace(DOUBLE_OPENING, '“')
    .replace(DOUBLE_BEFORE_SPACE, '”')
    .replace(DOUBLE_FIRST_OF_ALL, '”')
    .replace(DOUBLE_CLOSING, '$1”')
    .replaceAll('"', '“');
}

/** An apostrophe in an email address is not a quote: `o'neil@example.com` must stay one that can be copied. */
function straightenAddresses(text: string): string {
  if (!text.includes('@')) return text;
  return text.replace(/\S+/g, (word) => (/[^@]@+[^@]/.test(word) ? word.replace(/[‘’]/g, "'") : word));
}
