import { splitAtPlaceholders } from '../placeholders.ts';

/** A range of the text as written. */
export interface Place {
  start: number;
  end: number;
}

export interface WebAddress extends Place {
  host: string;
  /** The link text that is shown for the address; null if the address itself is shown. */
  linkText: Place | null;
}

/**
 * A text as people read it: a placeholder becomes the word "name", and optional text is included. `placeOf` maps places back to the source.
 */
export interface Writing {
  source: string;
  text: string;
  /** The same text with spaces in place of web addresses and link markup. */
  words: string;
  addresses: WebAddress[];
  /** Maps a place in `text` to one in the source. */
  placeOf(place: Place): Place;
}

const placeholderWord = 'name';

/** `hasLinks`: whether `[text](address)` is a link, as it is in emails. */
export function readWriting(source: string, { hasLinks }: { hasLinks: boolean }): Writing {
  const { text, pieces } = fill(source);
  const links = hasLinks ? findLinks(text) : [];
  const withoutLinks = blank(
    text,
    links.flatMap(({ mark }) => mark),
  );
  const addresses = [...links.map(({ address }) => address), ...findBareAddresses(withoutLinks)]
    .filter(({ host }) => host !== '')
    .sort((one, other) => one.start - other.start);
  const bare = addresses.filter(({ linkText }) => linkText === null);
  return {
    source,
    text,
    words: blank(withoutLinks, bare),
    addresses,
    placeOf: ({ start, end }) => ({ start: sourceStart(pieces, start), end: sourceEnd(pieces, end) }),
  };
}

/** A piece of the filled text; `sourceStart` and `sourceEnd` are its place in the source, `offset` is where its own text begins in it. */
interface Piece extends Place {
  sourceStart: number;
  sourceEnd: number;
  offset: number;
  isPlaceholder: boolean;
}

function fill(source: string): { text: string; pieces: Piece[] } {
  const pieces: Piece[] = [];
  const texts: string[] = [];
  let start = 0;
  let sourceStart = 0;
  for (const part of splitAtPlaceholders(source)) {
    const isText = typeof part === 'string';
    const written = isText ? part : part.written;
    const offset = !isText && part.isConditional ? part.name.length + '((??'.length : 0;
    const shown = isText ? part : part.isConditional ? written.slice(offset, -'))'.length) : placeholderWord;
    const sourceEnd = sourceStart + written.length;
    const isPlaceholder = !isText && !part.isConditional;
    pieces.push({ start, end: start + shown.length, sourceStart, sourceEnd, offset, isPlaceholder });
    texts.push(shown);
    start += shown.length;
    sourceStart = sourceEnd;
  }
  return { text: texts.join(''), pieces };
}

function pieceAt(pieces: readonly Piece[], at: number): Piece | undefined {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return pieces[low];
}

function sourceStart(pieces: readonly Piece[], at: number): number {
  const piece = pieceAt(pieces, at);
  if (!piece) return 0;
  return piece.isPlaceholder ? piece.sourceStart : piece.sourceStart + piece.offset + at - piece.start;
}

function sourceEnd(pieces: readonly Piece[], at: number): number {
  const piece = pieceAt(pieces, at - 1);
  if (!piece) return 0;
  return piece.isPlaceholder ? piece.sourceEnd : piece.sourceStart + piece.offset + at - piece.start;
}

/** The text of a link cannot contain a bracket, so no search goes past the next bracket. */
const linkPattern = /\[([^[\]]*)\]\(([^()]*)\)/g;

function findLinks(text: string): { address: WebAddress; mark: Place[] }[] {
  return Array.from(text.matchAll(linkPattern), ({ 0: whole, 1: shown = '', 2: target = '', index }) => {
    const linkText = { start: index + 1, end: index + 1 + shown.length };
    const end = index + whole.length;
    return {
      address: { start: index, end, host: hostOf(target.trim()), linkText },
      mark: [
        { start: index, end: linkText.start },
        { start: linkText.end, end },
      ],
    };
  });
}

/** Hosts of link shorteners also count without a scheme if a path follows, because phones turn them into links. */
export const shorteners = new Set([
  'bit.ly',
  'tinyurl.com',
  't.co',
  'goo.gl',
  'ow.ly',
  'is.gd',
  'buff.ly',
  'rebrand.ly',
  'cutt.ly',
  'shorturl.at',
  'tiny.cc',
  'lnkd.in',
  'rb.gy',
  't.ly',
  's.id',
  'qrco.de',
]);

const shortenerPattern = [...shorteners].map((host) => host.replace('.', '\\.')).join('|');
const addressPattern = new RegExp(
  `(?:https?://|(?<![\\w@.-])www\\.|(?<![\\w@.-])(?:${shortenerPattern})/)[^\\s<>"()]+`,
  'gi',
);
/** Characters that end a sentence or a bracket are not part of the address. */
const notAtEnd = '.,:;!?\'"]*_';

function findBareAddresses(text: string): WebAddress[] {
  return Array.from(text.matchAll(addressPattern), ({ 0: whole, index }) => {
    let { length } = whole;
    while (length > 0 && notAtEnd.includes(whole[length - 1] ?? '')) length -= 1;
    return { start: index, end: index + length, host: hostOf(whole.slice(0, length)), linkText: null };
  });
}

/** Returns the host in lower case, without `www.`; empty if it is not a web address. */
function hostOf(address: string): string {
  const [, scheme, authority = ''] = /^(https?:\/\/)?([^/?#\s]*)/i.exec(address) ?? [];
  if (scheme === undefined && !authority.includes('.')) return '';
  const withPort = authority.slice(authority.lastIndexOf('@') + 1);
  const bracketed = /^\[([^\]]*)\]/.exec(withPort)?.[1];
  const host = (bracketed ?? withPort.split(':', 1)[0] ?? '').toLowerCase();
  return host.startsWith('www.') ? host.slice('www.'.length) : host;
}

function blank(text: string, places: readonly Place[]): string {
  let rest = 0;
  const parts: string[] = [];
  for (const { start, end } of places) {
    parts.push(text.slice(rest, start), ' '.repeat(end - start));
    rest = end;
  }
  parts.push(text.slice(rest));
  return parts.join('');
}
