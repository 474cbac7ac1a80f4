import { type RawBuilder, sql } from 'kysely';
import type { Calendar } from '../../countries/calendar.ts';

/**
 * The day of a moment in SQL, the same as `calendar.day` in JavaScript. The zone is part of the text: a setting of the session
 * would be lost in PgBouncer, and with a parameter the plan of a prepared statement could not use it.
 */
export function localDay(calendar: Calendar, moment: string): RawBuilder<string> {
  return sql.raw(localDayText(calendar, moment));
}

/** The same as text, for statements that no query builder makes. */
export function localDayText({ zone }: Calendar, moment: string): string {
  return `(${moment} at time zone '${zone}')::date`;
}

/** How far the clocks of the zone are ahead of UTC at a moment, as an interval. */
export function offsetText({ zone }: Calendar, moment: string): string {
  return `((${moment} at time zone '${zone}') - (${moment} at time zone 'UTC'))`;
}

/** Makes something once for each key, such as the text of a statement for the calendar of an application. */
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
