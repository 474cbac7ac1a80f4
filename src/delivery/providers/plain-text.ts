/** A field as text. Objects and arrays become empty: their `toString` could return anything. */
export function plainText(value: unknown): string {
  return typeof value === 'object' || value === undefined ? '' : String(value);
}
