import { type RawBuilder, sql } from 'kysely';
import type { Calendar } from '../../countries/calendar.ts';

/**
 * Returns SQL for the day of a moment, like `calendar.day` in JavaScript. The zone is a literal: PgBouncer would lose a session setting,
 * and with a parameter, the plan of a prepared statement could not use an index on the expression.
 */
export function localDay(calendar: Calendar, moment: string): RawBuilder<string> {
  return sql.raw(localDayText(calendar, moment));
}

/** The same as text, for statements that the query builder does not build. */
export function localDayText({ zone }: Calendar, moment: string): string {
  return `(${moment} at time zone '${zone}')::date`;
}

/** Returns SQL for the UTC offset of the zone at a moment, as an interval. */
export function offsetText({ zone }: Calendar, moment: string): string {
  return `((${moment} at time zone '${zone}') - (${moment} at time zone 'UTC'))`;
}

/** Memoises a function by its key, for example the text of a statement by the calendar. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { value: Value }>();
  return (key) => {
    let found = made.get(key);
    if (!found) {
      found = { value: make(key) };
      made.set(key, found);
    }
    return found.value;
  };
}
