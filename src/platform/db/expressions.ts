import { sql } from 'kysely';

/** For `where('id', '=', anyOf(ids))`. One parameter for any number of ids: a statement's parameters are limited. */
export function anyOf(ids: readonly string[]) {
  return sql<string>`any(${ids}::uuid[])`;
}

/** A `like` pattern that matches the text anywhere. */
export function likeContains(text: string): string {
  return `%${escapeLike(text)}%`;
}

/** Escapes the special characters of `like` patterns. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
