import { keyOf } from './language.ts';

/** A translation file in gettext's PO format. */
export interface PoFile {
  /** The header fields, such as `Language` and `X-Reviewed-By`. */
  head: ReadonlyMap<string, string>;
  entries: readonly PoEntry[];
}

export interface PoEntry {
  key: string;
  /** Empty if there is no translation yet. */
  translation: string;
  /** A draft, which is not shown until a person has reviewed it. */
  isDraft: boolean;
  line: number;
}

interface Draft {
  msgctxt?: string;
  msgid?: string;
  msgstr?: string;
  isDraft: boolean;
  line: number;
}

/** Only the head, which ends at the first empty line: to parse a whole file takes 50 ms. */
export function readPoHead(text: string): PoFile['head'] {
  return readPo(text.split(/\n\s*\n/, 1)[0] ?? '').head;
}

/** Parses a PO file. Throws an error with the line number. Refuses gettext's plural forms, because our messages contain their own. */
export function readPo(text: string): PoFile {
  let head: ReadonlyMap<string, string> = new Map();
  const entries: PoEntry[] = [];
  let draft: Draft = { isDraft: false, line: 1 };
  let last: 'msgctxt' | 'msgid' | 'msgstr' | undefined;
  const finish = () => {
    const { msgctxt, msgid, msgstr, isDraft, line } = draft;
    if (msgid !== undefined && msgstr === undefined) throw new Error(`line ${line} has a msgid without a msgstr`);
    if (msgid === '' && msgctxt === undefined) head = readHead(msgstr ?? '');
    else if (msgid !== undefined)
      entries.push({ key: keyOf(msgid, msgctxt), translation: msgstr ?? '', isDraft, line });
    draft = { isDraft: false, line: 0 };
    last = undefined;
  };
  // Windows editors begin files with a byte order mark.
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    const number = index + 1;
    const [, keyword, quoted] = /^(?:(\w+)\s+)?("(?:[^"\\]|\\.)*")$/.exec(line) ?? [];
    if (line === '' || line.startsWith('#')) {
      if (draft.msgstr !== undefined) finish();
      if (line.startsWith('#,') && /\bfuzzy\b/.test(line)) draft.isDraft = true;
      continue;
    }
    if (quoted === undefined) throw new Error(`line ${number} is neither a comment nor a text in quotes`);
    if (keyword === undefined) {
      if (last === undefined) throw new Error(`line ${number} continues no text`);
      draft[last] += unquote(quoted);
      continue;
    }
    if (keyword !== 'msgctxt' && keyword !== 'msgid' && keyword !== 'msgstr') {
      throw new Error(`line ${number} has ${keyword}: plural forms belong into the message, as {count, plural, ...}`);
    }
    if (draft.msgstr !== undefined) finish();
    if (draft[keyword] !== undefined) throw new Error(`line ${number} has a second ${keyword}`);
    if (keyword !== 'msgstr' && draft.msgid === undefined) draft.line = number;
    draft[keyword] = unquote(quoted);
    last = keyword;
  }
  finish();
  return { head, entries };
}

const escaped = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

function unquote(quoted: string): string {
  // Copied, because a slice would keep the whole file in memory.
  const text = Buffer.from(quoted.slice(1, -1)).toString();
  return text.replaceAll(/\\(.)/g, (_, character: string) => escaped.get(character) ?? character);
}

function readHead(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
