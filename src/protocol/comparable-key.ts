/**
 * Returns the key by which names of placeholders and columns are compared: `First_Name`, `first-name` and `firstname` are equal; tabs, dots
 * and accents are significant.
 */
export function comparableKey(name: string): string {
  return name.replace(/[ _-]/g, '').toLowerCase();
}
