/** A field as text. An object or a list is none, and its own `toString` may be anything. */
export function plainText(value: unknown): string {
  return typeof value === 'object' || value === undefined ? '' : String(value);
}
