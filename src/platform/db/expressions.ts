import { sql } from 'kysely';

/** For `where('id', '=', anyOf(ids))`. Uses one parameter for any number of ids, because the number of parameters is limited. */
export function anyOf(ids: readonly string[]) {
  return sql<string>`any(${ids}::uuid[])`;
}

/** Returns a `like` pattern that matches the text anywhere. */
export function likeContains(text: string): string {
  return `%${escapeLike(text)}%`;
}

/** Escapes the special characters of `like` patterns. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
