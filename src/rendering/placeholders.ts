import { type Text, t } from '../language/text.ts';
import { comparableKey } from '../protocol/comparable-key.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import { escapeHtml } from './escape.ts';
import {
  type Conditions,
  type ConditionWords,
  conditionsIn,
  isMissing,
  isSwitchedOn,
  isUnclear,
  type ListStyle,
  lengthOfValue,
  type Personalisation,
  valueToText,
} from './personalisation.ts';

/** `((name))`, or `((name??text))` when `text` is not null. `name` has the spelling of the template. */
export interface Placeholder {
  name: string;
  slot: number;
  text: string | null;
}

/**
 * The distinct placeholders of a template. Each has a slot, named by the first of its equivalent spellings. For HTML,
 * names are escaped, because the template is escaped before placeholders are parsed.
 */
export interface Slots {
  html: boolean;
  dialect: ApiDialect;
  /** Determines which values show optional text. */
  conditions: Conditions;
  /** The slots that are printed. The others only show or hide text. */
  printed: Set<number>;
  names: string[];
  byKey: Map<string, number>;
}

/** A compiled template text: `plain[0]`, `placeholders[0]`, `plain[1]`, ... `plain[n]`. */
export interface CompiledText {
  plain: readonly string[];
  placeholders: readonly Placeholder[];
  slots: Slots;
  /** The number of characters of the text as written. */
  length: number;
  /** Whether it contains marks instead of language tags. */
  tagged: boolean;
  /** How often each slot is printed. There are few slots, but may be many placeholders. */
  uses: readonly number[];
}

/** Returns the text for a placeholder without a value. */
export type Unfilled = (placeholder: Placeholder) => string;

export interface Filling {
  lists: ListStyle;
  unfilled: Unfilled;
}

/** For text that is never interpreted as HTML: text messages, subjects, and the plain-text part of an email. */
export function textSlots(dialect: ApiDialect = 'govuk', words?: ConditionWords): Slots {
  const conditions = conditionsIn(dialect, words);
  return { html: false, dialect, conditions, printed: new Set(), names: [], byKey: new Map() };
}

export function htmlSlots(dialect: ApiDialect = 'govuk', words?: ConditionWords): Slots {
  return { ...textSlots(dialect, words), html: true };
}

const placeholderPattern = /\(\(([^()]+)\)\)/g;

/** Compiles a text. Texts compiled with the same slots share them: `slots.names` lists names in order of compilation. */
export function compileText(source: string, slots: Slots, tagged = false): CompiledText {
  const text = slots.html ? escapeHtml(source) : source;
  const plain: string[] = [];
  const placeholders: Placeholder[] = [];
  const uses: number[] = [];
  let end = 0;
  for (const match of text.matchAll(placeholderPattern)) {
    plain.push(text.slice(end, match.index));
    const placeholder = readPlaceholder(match[1] ?? '', slots);
    placeholders.push(placeholder);
    while (uses.length < slots.names.length) uses.push(0);
    if (placeholder.text === null) {
      uses[placeholder.slot] = (uses[placeholder.slot] ?? 0) + 1;
      slots.printed.add(placeholder.slot);
    }
    end = match.index + match[0].length;
  }
  plain.push(text.slice(end));
  slots.names = withoutSpareRoom(slots.names);
  return {
    plain: withoutSpareRoom(plain),
    placeholders: withoutSpareRoom(placeholders),
    slots,
    length: text.length,
    tagged,
    uses: withoutSpareRoom(uses),
  };
}

/** Copies an array to its exact size: a growing one has capacity for at least 17 items, and thousands of compiled templates are cached. */
function withoutSpareRoom<T>(items: readonly T[]): T[] {
  return items.slice();
}

/** Cuts a text as written at its placeholders, to show them highlighted. */
export function splitAtPlaceholders(
  text: string,
): (string | { written: string; name: string; isConditional: boolean })[] {
  const { plain, placeholders } = compileText(text, textSlots());
  return plain.flatMap((before, index) => {
    const placeholder = placeholders[index];
    const found = placeholder && {
      written: keepPlaceholder(placeholder),
      name: placeholder.name,
      isConditional: placeholder.text !== null,
    };
    return [before, found ?? ''].filter((part) => part !== '');
  });
}

/** Whether optional text contains a placeholder: `((late??Come on ((day))))` is printed with brackets. */
export function hasNestedPlaceholder(text: string): boolean {
  return /\(\([^()]+\?\?(?:[^()]|\((?!\()|\)(?!\)))*\(\(/.test(text);
}

function readPlaceholder(body: string, slots: Slots): Placeholder {
  const mark = body.indexOf('??');
  const name = mark === -1 ? body : body.slice(0, mark);
  return { name, slot: claimSlot(slots, name), text: mark === -1 ? null : body.slice(mark + 2) };
}

function claimSlot(slots: Slots, name: string): number {
  const key = comparableKey(name);
  let slot = slots.byKey.get(key);
  if (slot === undefined) {
    slot = slots.names.push(name) - 1;
    slots.byKey.set(key, slot);
  }
  return slot;
}

/** Returns -1 for a spelling that the template does not use. */
function findSlot(slots: Slots, spelling: string): number {
  return slots.byKey.get(keyOfSpelling(slots.html ? escapeHtml(spelling) : spelling)) ?? -1;
}

/** Caches keys, because spellings in personalisation recur. Callers choose them, so their number and length are limited. */
const keysOfSpellings = new Map<string, string>();
const maxSpellings = 5_000;
const maxSpellingLength = 200;

function keyOfSpelling(spelling: string): string {
  const cached = keysOfSpellings.get(spelling);
  if (cached !== undefined) return cached;
  const key = comparableKey(spelling);
  if (spelling.length <= maxSpellingLength) {
    if (keysOfSpellings.size >= maxSpellings) keysOfSpellings.clear();
    keysOfSpellings.set(spelling, key);
  }
  return key;
}

/** Returns the value of each slot. If two keys match the same placeholder, the later one wins. */
export function readValues(slots: Slots, personalisation: Personalisation | null | undefined): unknown[] {
  const values: unknown[] = new Array(slots.names.length).fill(undefined);
  if (!personalisation) return values;
  for (const spelling of Object.keys(personalisation)) {
    const slot = findSlot(slots, spelling);
    if (slot !== -1) values[slot] = personalisation[spelling];
  }
  return values;
}

/** Returns only the values that the template uses, in the caller's spelling. Most callers pass no others. */
export function usedValues<Value>(slots: Slots, values: Readonly<Record<string, Value>>): Record<string, Value> {
  const isUsed = (spelling: string) => findSlot(slots, spelling) !== -1;
  if (Object.keys(values).every(isUsed)) return values;
  return Object.fromEntries(Object.entries(values).filter(([spelling]) => isUsed(spelling)));
}

export function missingNames(slots: Slots, personalisation: Personalisation | null | undefined): string[] {
  const values = readValues(slots, personalisation);
  return slots.names.filter((_, slot) => isMissing(values[slot]));
}

/** Returns the names that only show or hide text. */
export function conditionNames({ names, printed }: Slots): string[] {
  return printed.size === names.length ? [] : names.filter((_, slot) => !printed.has(slot));
}

/** Returns those of them whose value is neither yes nor no. */
export function unclearNames(slots: Slots, personalisation: Personalisation): string[] {
  if (slots.printed.size === slots.names.length) return [];
  const values = readValues(slots, personalisation);
  return slots.names.filter(
    (_, slot) => !slots.printed.has(slot) && !isMissing(values[slot]) && isUnclear(values[slot], slots.conditions),
  );
}

export function describeMissing(names: readonly string[]): Text {
  return t('Missing personalisation: {names}', { names: names.join(', ') });
}

/** Approximates the length of `fillText` without filling: a short template may print a long value often. */
export function filledLength(
  { slots, length, uses }: CompiledText,
  personalisation: Personalisation | null | undefined,
): number {
  if (uses.length === 0) return length;
  const values = readValues(slots, personalisation);
  let sum = length;
  for (const [slot, count] of uses.entries()) sum += count * lengthOfValue(values[slot]);
  return sum;
}

/** Fills in a single pass, so placeholders inside values are not expanded. */
export function fillText(
  { plain, placeholders, slots }: CompiledText,
  personalisation: Personalisation | null | undefined,
  { lists, unfilled }: Filling,
): string {
  let text = plain[0] ?? '';
  if (placeholders.length === 0) return text;
  const values = readValues(slots, personalisation);
  for (let index = 0; index < placeholders.length; index++) {
    const placeholder = placeholders[index];
    if (placeholder === undefined) break;
    const value = values[placeholder.slot];
    if (value === undefined || value === null) text += unfilled(placeholder);
    else if (placeholder.text !== null) text += isSwitchedOn(value, slots.conditions) ? placeholder.text : '';
    else text += slots.html ? escapeHtml(valueToText(value, lists)) : valueToText(value, lists);
    text += plain[index + 1] ?? '';
  }
  return text;
}

export const keepPlaceholder: Unfilled = ({ name, text }) => (text === null ? `((${name}))` : `((${name}??${text}))`);
export const redactPlaceholder: Unfilled = () => '[hidden]';

/** Writes brackets as entities so that Markdown does not parse a link. Only for names that are already escaped. */
export const highlightPlaceholder: Unfilled = ({ name, text }) =>
  text === null
    ? `<span class='placeholder'>&#40;&#40;${name}&#41;&#41;</span>`
    : `${highlightCondition(name)}${text}&#41;&#41;`;
/** Returns the HTML that precedes the text of a conditional placeholder. */
function highlightCondition(name: string): string {
  return `<span class='placeholder-conditional'>&#40;&#40;${name}??</span>`;
}

export const highlightRedacted: Unfilled = () => `<span class='placeholder-redacted'>hidden</span>`;

/** A placeholder without a value that is shown highlighted in the result. */
export interface OpenPlaceholder {
  style: 'plain' | 'conditional' | 'redacted';
  placeholder: Placeholder;
}

const markPattern = /\uFDD0(\d+)\uFDD1/g;

/**
 * Puts a mark that no Markdown rule matches into the text and records its placeholder, so that brackets in a name do not change how the
 * text is parsed. Only the opening of a conditional placeholder is marked.
 */
export function markOpenPlaceholders(open: OpenPlaceholder[], redact = false): Unfilled {
  return (placeholder) => {
    const mark = `\uFDD0${open.length}\uFDD1`;
    const isConditional = placeholder.text !== null && !redact;
    open.push({ style: redact ? 'redacted' : isConditional ? 'conditional' : 'plain', placeholder });
    return isConditional ? `${mark}${placeholder.text}))` : mark;
  };
}

/** Replaces marks with the placeholders as written, where a highlight is impossible, for example in a URL. */
export function unmark(text: string, open: readonly OpenPlaceholder[]): string {
  if (open.length === 0) return text;
  return text.replace(markPattern, (mark, index: string) => {
    const found = open[Number(index)];
    return found ? printOpening(found) : mark;
  });
}

export function printOpening({ style, placeholder }: OpenPlaceholder): string {
  if (style === 'redacted') return redactPlaceholder(placeholder);
  return style === 'plain' ? keepPlaceholder(placeholder) : `((${placeholder.name}??`;
}

export function highlightOpening({ style, placeholder }: OpenPlaceholder): string {
  if (style === 'redacted') return highlightRedacted(placeholder);
  return style === 'plain' ? highlightPlaceholder(placeholder) : highlightCondition(placeholder.name);
}

/** Splits a text at its marks into strings and unfilled placeholders. */
export function splitAtMarks(text: string, open: readonly OpenPlaceholder[]): (string | OpenPlaceholder)[] {
  if (open.length === 0) return text === '' ? [] : [text];
  return text
    .split(markPattern)
    .map((part, index) => (index % 2 === 0 ? part : (open[Number(part)] ?? '')))
    .filter((part) => part !== '');
}
