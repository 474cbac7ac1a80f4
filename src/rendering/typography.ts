/** Quotes inside these tags belong to a URL or to code. */
const leftStraight = /<(\/?)(?:a|code|kbd|math|pre|samp|script|style|tt)\b/iy;

/**
 * Corrects typography: no space before a comma, curly quotes, dashes with spaces. Tags in the text and quotes inside links are left
 * unchanged.
 */
export function applyTypography(text: string): string {
  return lengthenDashes(curlQuotes(removeSpaceBeforePunctuation(text)));
}

/** Corrects a text that was split by something other than tags. The number of pieces does not change. */
export function applyTypographyToPieces(pieces: readonly string[]): string[] {
  const state: Curling = { straight: 0, before: '' };
  return pieces.map((piece) => lengthenDashes(curlPiece(removeSpaceBeforePunctuation(piece), state)));
}

/** Keeps a dash at the start of a line, because it is a hand-made list. The first pattern equals the second for plain spaces. */
function lengthenDashes(text: string): string {
  if (!/[^\S\n][-–—]/.test(text)) return text;
  if (!/[^\S\n ]/.test(text)) return text.replace(/(?<! ) +[-–—]{1,3} +/g, ' – ');
  return text.replace(/(?<![^\S\n])[^\S\n]+[-–—]{1,3}[^\S\n]+/g, ' – ');
}

interface Curling {
  straight: number;
  before: string;
}

function curlQuotes(text: string): string {
  if (!/['"]/.test(text)) return text;
  const state: Curling = { straight: 0, before: '' };
  let curled = '';
  /** How much of the text `curled` contains. Most pieces do not change, and are copied with the tags around them. */
  let copied = 0;
  const curlUntil = (start: number, end: number) => {
    if (start === end) return;
    const piece = text.slice(start, end);
    if (state.straight > 0) {
      state.before = piece.slice(-1);
      return;
    }
    const changed = curlPiece(piece, state);
    if (changed === piece) return;
    curled += text.slice(copied, start) + changed;
    copied = end;
  };
  let start = 0;
  for (let open = text.indexOf('<'); open !== -1; open = text.indexOf('<', start)) {
    const close = text.indexOf('>', open);
    if (close === -1) break;
    curlUntil(start, open);
    leftStraight.lastIndex = open;
    const tag = leftStraight.exec(text);
    if (tag) state.straight = Math.max(0, state.straight + (tag[1] === '/' ? -1 : 1));
    start = close + 1;
  }
  curlUntil(start, text.length);
  return copied === 0 ? text : curled + text.slice(copied);
}

function curlPiece(piece: string, state: Curling): string {
  const { before } = state;
  state.before = piece.slice(-1);
  if (!piece.includes("'") && !piece.includes('"')) return straightenAddresses(piece);
  if (piece === "'") return /\S/.test(before) ? '’' : '‘';
  if (piece === '"') return /\S/.test(before) ? '”' : '“';
  return straightenAddresses(curlDoubleQuotes(curlSingleQuotes(curlQuotesInQuotes(piece))));
}

/*
 * The rules of SmartyPants, which publishing tools commonly use, including its quirks: an apostrophe before a year opens ('80s), and a
 * quote after a dash without a space closes. Each pattern looks at a fixed number of characters and consumes the one before a quote, so the
 * second of two adjacent quotes is left to a later rule.
 */

const wordSource = '[\\p{L}\\p{N}_]';
const opensAfter = '(?<=\\s|&nbsp;|--)';
const closesAfter = '([^ \\t\\r\\n[{(\\-])';
const possessive = `s(?!${wordSource})`;

const doubleThenSingle = new RegExp(`"'(?=${wordSource})`, 'gu');
const singleThenDouble = new RegExp(`'"(?=${wordSource})`, 'gu');
const decade = new RegExp(`(?<=${wordSource})'(?=\\p{Nd}{2}s)`, 'gu');
const singleOpening = new RegExp(`${opensAfter}'(?=${wordSource})`, 'gu');
const singleClosing = new RegExp(`${closesAfter}'(?!\\s|${possessive}|\\p{Nd})`, 'gu');
const singleAtEndOfWord = new RegExp(`${closesAfter}'(?=\\s|${possessive})`, 'gu');
const doubleOpening = new RegExp(`${opensAfter}"(?=${wordSource})`, 'gu');
const doubleBeforeSpace = /"(?=\s)/g;
const doubleFirstOfAll = /^"(?=[!-%'-/:-@[-`{-~])/;
const doubleClosing = new RegExp(`${closesAfter}"`, 'gu');

function curlQuotesInQuotes(text: string): string {
  return text.replace(doubleThenSingle, '“‘').replace(singleThenDouble, '‘“');
}

function curlSingleQuotes(text: string): string {
  if (!text.includes("'")) return text;
  return text
    .replace(decade, '’')
    .replace(singleOpening, '‘')
    .replace(singleClosing, '$1’')
    .replace(singleAtEndOfWord, '$1’')
    .replaceAll("'", '‘');
}

function curlDoubleQuotes(text: string): string {
  if (!text.includes('"')) return text;
  return text
    .replace(doubleOpening, '“')
    .replace(doubleBeforeSpace, '”')
    .replace(doubleFirstOfAll, '”')
    .replace(doubleClosing, '$1”')
    .replaceAll('"', '“');
}

/** An apostrophe in an email address is not a quote: `o'neil@example.com` must stay correct when copied. */
function straightenAddresses(text: string): string {
  if (!text.includes('@')) return text;
  return text.replace(/\S+/g, (word) => (/[^@]@+[^@]/.test(word) ? word.replace(/[‘’]/g, "'") : word));
}

/**
 * Turns `Hello ,` into `Hello,`: an empty value often leaves such a gap. The look-behind lets a match start only where a run of spaces
 * starts, so a megabyte of spaces is read once and not once per space.
 */
export function removeSpaceBeforePunctuation(text: string): string {
  if (!/[ \t][,.]/.test(text)) return text;
  return text.replace(/(?<![ \t])[ \t]+(?=[,.])/g, '');
}

/** Used because a pattern such as `/ +$/` would restart at every space of a long run. */
export function trimEndOf(character: string, text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return end === text.length ? text : text.slice(0, end);
}
