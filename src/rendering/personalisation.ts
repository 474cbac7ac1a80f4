import { comparableKey } from '../protocol/comparable-key.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import { removeInvisible } from '../protocol/whitespace.ts';

/** Values for placeholders as received, which may be any JSON. */
export type Personalisation = Readonly<Record<string, unknown>>;

/** Returns all values by comparable key. If two keys are equal, the later one wins. */
export function readPersonalisation(personalisation: Personalisation | null | undefined): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(personalisation ?? {}).map(([name, value]) => [comparableKey(name), value]));
}

export function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Words for yes and no in other languages, in addition to those of the protocol. */
export interface ConditionWords {
  yes: readonly string[];
  no: readonly string[];
}

const yesWords = new Set(['yes', 'y', 'true', 't', '1', 'include', 'show']);
const yesWordsOfGc = new Set([...yesWords, 'oui', 'vrai', 'inclure', 'afficher']);
const noWords = new Set(['', 'no', 'n', 'false', 'f', '0', 'exclude', 'hide']);
const noWordsOfGc = new Set([...noWords, 'non', 'faux', 'exclure', 'masquer']);

/** The values, in lower case, that show and hide optional text. Every other value hides it, too. */
export interface Conditions {
  yes: ReadonlySet<string>;
  no: ReadonlySet<string>;
}

export function conditionsIn(dialect: ApiDialect = 'govuk', words?: ConditionWords): Conditions {
  const [yes, no] = dialect === 'gc' ? [yesWordsOfGc, noWordsOfGc] : [yesWords, noWords];
  if (!words) return { yes, no };
  const lower = (word: string) => word.toLowerCase();
  return { yes: new Set([...yes, ...words.yes.map(lower)]), no: new Set([...no, ...words.no.map(lower)]) };
}

/** Whether a value shows the text of `((name??text))`. The value is not trimmed: ` yes` does not show it. */
export function isSwitchedOn(value: unknown, { yes }: Conditions = conditionsIn()): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return yes.has(value.toLowerCase());
  return value === 1;
}

/** Whether a value is neither yes nor no. */
export function isUnclear(value: unknown, conditions: Conditions): boolean {
  if (typeof value === 'boolean' || value === 0) return false;
  return !isSwitchedOn(value, conditions) && !(typeof value === 'string' && conditions.no.has(value.toLowerCase()));
}

export type ListStyle = 'inline' | 'markdown';

/** Booleans and objects are printed as JSON. */
export function valueToText(value: unknown, lists: ListStyle): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return listToText(value, lists);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return String(value);
}

/** Allowance for commas, quotes or list markers between the members of a list or an object. */
const separatorLength = 4;

/** Approximates the length of `valueToText` without creating the text: a value may be a file of megabytes. */
export function lengthOfValue(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return isMissing(value) ? 0 : String(value).length;
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + lengthOfValue(item) + separatorLength, 0);
  return Object.entries(value).reduce(
    (sum, [name, member]) => sum + name.length + lengthOfValue(member) + separatorLength,
    0,
  );
}

function listToText(list: readonly unknown[], style: ListStyle): string {
  const items: string[] = [];
  for (const item of list) {
    const text = isMissing(item) ? '' : removeInvisible(valueToText(item, 'inline')).trim();
    if (text !== '') items.push(text);
  }
  if (items.length === 0) return '';
  if (style === 'markdown') return `\n\n* ${items.join('\n* ')}`;
  const last = items.pop() ?? '';
  return items.length === 0 ? last : `${items.join(', ')} and ${last}`;
}
