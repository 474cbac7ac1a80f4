import { escapeHtml } from './escape.ts';
import {
  comparableKey,
  isMissing,
  isSwitchedOn,
  type ListStyle,
  type Personalisation,
  readPersonalisation,
  type Values,
  valueToText,
} from './personalisation.ts';

/** `((name))`, or `((name??text))` when `text` is not null. `name` keeps the spelling of the template. */
export type Placeholder = { name: string; key: string; text: string | null };

/** A template text read once: `plain[0]`, `placeholders[0]`, `plain[1]`, ... `plain[n]`. */
export type CompiledText = { plain: readonly string[]; placeholders: readonly Placeholder[]; html: boolean };

/** How a placeholder without a value is printed. */
export type Unfilled = (placeholder: Placeholder) => string;

export type Filling = { lists: ListStyle; unfilled: Unfilled };

const PLACEHOLDER = /\(\(([^()]+)\)\)/g;

/** For text that is never read as HTML: text messages, subjects, the plain part of an email. */
export function compileText(source: string): CompiledText {
  return compile(source, false);
}

/** For HTML: the template is escaped before placeholders are looked for, and so are names and values when filling. */
export function compileHtml(source: string): CompiledText {
  return compile(escapeHtml(source), true);
}

function compile(source: string, html: boolean): CompiledText {
  const plain: string[] = [];
  const placeholders: Placeholder[] = [];
  let end = 0;
  for (const match of source.matchAll(PLACEHOLDER)) {
    plain.push(source.slice(end, match.index));
    placeholders.push(readPlaceholder(match[1] ?? ''));
    end = match.index + match[0].length;
  }
  plain.push(source.slice(end));
  return { plain, placeholders, html };
}

function readPlaceholder(body: string): Placeholder {
  const mark = body.indexOf('??');
  const name = mark === -1 ? body : body.slice(0, mark);
  return { name, key: comparableKey(name), text: mark === -1 ? null : body.slice(mark + 2) };
}

/** Names in order of first appearance over all texts; of spellings that mean the same key the first counts. */
export function placeholderNames(texts: readonly CompiledText[]): string[] {
  const names = new Map<string, string>();
  for (const { placeholders } of texts) {
    for (const { key, name } of placeholders) {
      if (!names.has(key)) names.set(key, name);
    }
  }
  return [...names.values()];
}

export function missingNames(names: readonly string[], values: Values): string[] {
  return names.filter((name) => isMissing(values.get(comparableKey(name))));
}

export function describeMissing(names: readonly string[]): string {
  return `Missing personalisation: ${names.join(', ')}`;
}

/** One pass: placeholders inside values are not looked at. */
export function fillText(compiled: CompiledText, values: Values, { lists, unfilled }: Filling): string {
  const { plain, placeholders, html } = compiled;
  let text = plain[0] ?? '';
  for (let index = 0; index < placeholders.length; index++) {
    const placeholder = placeholders[index];
    if (placeholder === undefined) break;
    const value = values.get(placeholder.key);
    if (value === undefined || value === null) text += unfilled(placeholder);
    else if (placeholder.text !== null) text += isSwitchedOn(value) ? placeholder.text : '';
    else text += html ? escapeHtml(valueToText(value, lists)) : valueToText(value, lists);
    text += plain[index + 1] ?? '';
  }
  return text;
}

/** Values for `compileHtml` texts: their names are escaped, so the keys must be too. */
export function readPersonalisationForHtml(personalisation: Personalisation | null | undefined): Values {
  if (!personalisation) return readPersonalisation(personalisation);
  const names = Object.keys(personalisation);
  if (!names.some((name) => /[&<>]/.test(name))) return readPersonalisation(personalisation);
  return readPersonalisation(Object.fromEntries(names.map((name) => [escapeHtml(name), personalisation[name]])));
}

export const keepPlaceholder: Unfilled = ({ name, text }) => (text === null ? `((${name}))` : `((${name}??${text}))`);
export const redactPlaceholder: Unfilled = () => '[hidden]';
export const leaveOutPlaceholder: Unfilled = () => '';

/** Brackets are entities so that Markdown does not take them for a link. Only for names that are escaped already. */
export const highlightPlaceholder: Unfilled = ({ name, text }) =>
  text === null
    ? `<span class='placeholder'>&#40;&#40;${name}&#41;&#41;</span>`
    : `${highlightCondition(name)}${text}&#41;&#41;`;
/** What stands before the text of a conditional placeholder. */
export function highlightCondition(name: string): string {
  return `<span class='placeholder-conditional'>&#40;&#40;${name}??</span>`;
}

export const highlightWithoutBrackets: Unfilled = ({ name }) => `<span class='placeholder-no-brackets'>${name}</span>`;
export const highlightRedacted: Unfilled = () => `<span class='placeholder-redacted'>hidden</span>`;
