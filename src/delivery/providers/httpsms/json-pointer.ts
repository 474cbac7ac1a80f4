import { plainText } from '../plain-text.ts';

/** The value at a JSON pointer (RFC 6901) as text: empty if there is nothing, or an object. */
export function textAt(document: unknown, pointer: string): string {
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return '';
    value = (value as Record<string, unknown>)[key];
  }
  return plainText(value);
}
