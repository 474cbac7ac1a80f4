import { printedValue } from '../../protocol/schema-problems.ts';

const maxValues = 500;
const maxDepth = 4;

/** An error text without what the request contained: some texts repeat a value, which may be about a person. */
export function withoutValues(message: string, body: unknown): string {
  // These names are those of the template.
  if (message.startsWith('Missing personalisation: ')) return message;
  return valuesIn(body)
    .map(printedValue)
    .filter((value) => value.trim() !== '')
    .sort((a, b) => b.length - a.length)
    .reduce((text, value) => (text.includes(value) ? replaceWhole(text, value) : text), message);
}

/** A short value is often part of another word. */
function replaceWhole(text: string, value: string): string {
  const parts = text.split(value);
  return parts.reduce((before, after) => {
    const isPart = value.length < 3 && (/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after));
    return `${before}${isPart ? value : '…'}${after}`;
  });
}

/** Texts, numbers, lists and objects of the body, except the id of the template. */
function valuesIn(body: unknown, depth = 0): unknown[] {
  if (typeof body !== 'object' || body === null || depth > maxDepth) return [];
  const values: unknown[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (values.length >= maxValues) break;
    if (depth === 0 && name === 'template_id') continue;
    if (value !== null && typeof value !== 'boolean') values.push(value);
    values.push(...valuesIn(value, depth + 1));
  }
  return values.slice(0, maxValues);
}
