import { isTimeZone } from '../../countries/timing/zones.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import type { Columns, Row } from './columns.ts';

/** The column with the time zone of a row's recipient. */
export const timeZoneColumn = 'time zone';

/** Returns undefined for a file without such a column. */
export function timeZoneReader(columns: Columns): TimeZoneReader | undefined {
  const index = columns.byKey.get(comparableKey(timeZoneColumn));
  if (index === undefined) return undefined;
  const column = columns.columns[index]?.name ?? timeZoneColumn;
  return ({ values }) => {
    const value = values[index] ?? null;
    if (value === null) return {};
    return typeof value === 'string' && isTimeZone(value) ? { zone: value } : { wrongIn: column };
  };
}

type TimeZoneReader = (row: Row) => {
  zone?: string;
  /** The column, as spelled in the file, whose value is not a time zone. */
  wrongIn?: string;
};
