import type { CountryProfile } from '../countries/profile.ts';
import { withoutTrailingCommas } from './postal-address.ts';
import { removeWhitespace } from './whitespace.ts';

type Address = CountryProfile['address'];
type Postcode = NonNullable<Address['postcode']>;

/** Longer lines have no postcode, so patterns never process long input. */
const maxTownLine = 200;

/** A postcode has at most this many words: 75 002, 1234 AB. */
const maxWords = 3;

export interface ReadLines {
  lines: string[];
  /** As printed. */
  postcode: string | null;
  /** There is a postcode but no possible town next to it. */
  lacksTown: boolean;
}

/** Finds the postcode of a domestic address, and puts postcode and town on one line in the country's order. */
export function createTownLineReader(address: Address & { postcode: Postcode }) {
  const { place, gap } = address.postcode;
  const { readPostcode, withoutPrefix } = createPostcodeReader(address.postcode);
  const isTown = createTownTest(address);
  const join = (postcode: string, town: string) =>
    (place === 'before-town' ? [postcode, town] : [town, postcode]).join(' '.repeat(gap));

  /** Splits a line with postcode and town, in either order. */
  function splitTownLine(line: string): string[] | undefined {
    if (line.length > maxTownLine) return undefined;
    const beginning = splitAt(withoutPrefix(line), 'start', (town) =>
      // In the country's own order, what follows the postcode is accepted as written, so a town may have digits: Paris 2e.
      isTown(town, { digits: place === 'before-town' }),
    );
    return beginning ?? splitAt(line, 'end', (town) => isTown(town));
  }

  function splitAt(line: string, side: 'start' | 'end', accepts: (town: string) => boolean): string[] | undefined {
    const words = line.split(' ');
    for (let count = 1; count <= Math.min(maxWords, words.length - 1); count++) {
      const at = side === 'start' ? count : words.length - count;
      const [start, end] = [words.slice(0, at).join(' '), words.slice(at).join(' ')];
      const postcode = readPostcode(side === 'start' ? start : end);
      const town = withoutTrailingCommas(side === 'start' ? end : start);
      if (postcode !== undefined && accepts(town)) return [postcode, town];
    }
    return undefined;
  }

  function readTown(lines: readonly string[]): ReadLines {
    const before = lines.slice(0, -1);
    const [last = '', previous] = [lines.at(-1), before.at(-1)];
    if (last.length > maxTownLine) return { lines: [...lines], postcode: null, lacksTown: false };
    const alone = readPostcode(withoutPrefix(last));
    if (alone !== undefined && (place === 'own-line' || previous === undefined || !isTown(previous))) {
      return { lines: [...before, alone], postcode: alone, lacksTown: place !== 'own-line' };
    }
    if (place === 'own-line') return { lines: [...lines], postcode: null, lacksTown: false };
    if (alone !== undefined && previous !== undefined) return joined(before.slice(0, -1), alone, previous);
    const [postcode, town] = splitTownLine(last) ?? [];
    if (postcode !== undefined && town !== undefined) return joined(before, postcode, town);
    const above = previous === undefined ? undefined : readPostcode(withoutPrefix(previous));
    if (above !== undefined && isTown(last)) return joined(before.slice(0, -1), above, last);
    return { lines: [...lines], postcode: null, lacksTown: false };
  }

  function joined(above: readonly string[], postcode: string, town: string): ReadLines {
    return { lines: [...above, join(postcode, withoutCommas(town))], postcode, lacksTown: false };
  }

  return { readTown, splitTownLine };
}

export function createPostcodeReader({ pattern, format, prefix }: Postcode) {
  const whole = new RegExp(`^(?:${pattern})$`);
  const start = prefix === undefined ? undefined : new RegExp(`^(?:${prefix})\\s*(?=[0-9])`, 'i');
  return {
    /** Returns the postcode in the country's format. */
    readPostcode(text: string): string | undefined {
      if (text.length > maxTownLine) return undefined;
      const compact = withoutTrailingCommas(removeWhitespace(text)).toUpperCase();
      const groups = whole.exec(compact) ?? whole.exec(compact.replaceAll('-', ''));
      return groups ? formatGroups(format, groups) : undefined;
    },
    withoutPrefix: (line: string) => (start ? line.replace(start, '') : line),
  };
}

/** Drops the text before an empty group: 62704, 62704-1234. */
function formatGroups(format: string, groups: RegExpExecArray): string {
  return [...format.matchAll(/([^$]*)\$([1-9])/g)]
    .map(([, separator = '', number]) => {
      const text = groups[Number(number)] ?? '';
      return text === '' ? '' : separator + text;
    })
    .join('');
}

/** Removes leading and trailing commas. */
const withoutCommas = (town: string) => withoutTrailingCommas(town.replace(/^[ ,]+/, ''));

const comparableStart = (text: string) =>
  withoutCommas(text).toLowerCase().replaceAll('.', '').replace(/\s+/g, ' ').trim();

/** A street with its number, or a box, must never be printed next to a postcode as if it were the town. */
function createTownTest({ boxWords, townWithDigits }: Pick<Address, 'boxWords' | 'townWithDigits'>) {
  const boxes = boxWords.map(comparableStart);
  const withDigits = townWithDigits === undefined ? undefined : new RegExp(townWithDigits, 'i');
  return (text: string, { digits = false } = {}): boolean => {
    if (text.length > maxTownLine || !/\p{L}/u.test(text)) return false;
    const line = comparableStart(text);
    if (boxes.some((box) => line === box || line.startsWith(`${box} `))) return false;
    return digits || !/[0-9]/.test(text) || withDigits?.test(text) === true;
  };
}
