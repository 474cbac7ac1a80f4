/** Text with `{{names}}`. There is nothing but replacing: no expressions, no conditions, no code. */

const placeholder = /\{\{\s*([a-z0-9_.]+)\s*\}\}/g;

export type PlaceholderValues = ReadonlyMap<string, string>;

/** Values that are not there are checked when the file is read. */
export function fill(text: string, values: PlaceholderValues, encode: (value: string) => string = String): string {
  return text.replace(placeholder, (_match, name: string) => encode(values.get(name) ?? ''));
}

/** The same for each string inside a value, but not for keys. */
export function fillAll(value: unknown, values: PlaceholderValues): unknown {
  if (typeof value === 'string') return fill(value, values);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, values)]));
}

/** The names in a text, and what looks like a placeholder and is none. */
export function placeholdersIn(text: string): { names: string[]; malformed: string | undefined } {
  const names = Array.from(text.matchAll(placeholder), ([, name = '']) => name);
  const [malformed] = text.replace(placeholder, '').match(/\{\{[^}]*\}{0,2}|\}\}/) ?? [];
  return { names, malformed };
}
