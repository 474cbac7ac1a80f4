import { comparableKey } from '../../protocol/comparable-key.ts';
import type { Columns, Row } from './columns.ts';

/** Columns with the language of a row's message. The second one counts only if no placeholder has that name. */
export const languageColumns = ['message language', 'language'];

/** Returns the language that a row requests: from the column of the template's language placeholder, otherwise from one of these. */
export function languageReader(
  columns: Columns,
  field: string | null,
  placeholders: readonly string[],
): (row: Row) => string | undefined {
  const taken = new Set(placeholders.map(comparableKey));
  const own = languageColumns.map(comparableKey).filter((key) => !taken.has(key));
  const indexes = [...(field === null ? [] : [comparableKey(field)]), ...own].flatMap(
    (key) => columns.byKey.get(key) ?? [],
  );
  return ({ values }) => {
    for (const index of indexes) {
      const value = values[index];
      if (typeof value === 'string' && value.trim() !== '') return value;
    }
    return undefined;
  };
}
