/**
 * The names of placeholders and of columns compare by this key: `First_Name`, `first-name` and `firstname` are the same;
 * tabs, dots and accents are significant.
 */
export function comparableKey(name: string): string {
  return name.replace(/[ _-]/g, '').toLowerCase();
}
