import { sql } from 'kysely';

/** For `where('id', '=', anyOf(ids))`. One value for any number of ids: the values of a statement are limited. */
export function anyOf(ids: readonly string[]) {
  return sql<string>`any(${ids}::uuid[])`;
}

/** For `like` and `ilike`: the text itself, wherever it stands. */
export function likeContains(text: string): string {
  return `%${escapeLike(text)}%`;
}

/** No character of the text has a special meaning in a `like` pattern. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
