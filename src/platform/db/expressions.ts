import { sql } from 'kysely';

/**
 * For `where('id', '=', anyOf(ids))`. Uses one parameter for any number of values, because the number of parameters is limited, and is
 * false for an empty list, for which `in ()` would be a syntax error.
 */
export function anyOf<Value extends string>(values: readonly Value[], type: 'uuid' | 'text' = 'uuid') {
  return sql<Value>`any(${values}::${sql.raw(type)}[])`;
}

/** Returns a `like` pattern that matches the text anywhere. */
export function likeContains(text: string): string {
  return `%${escapeLike(text)}%`;
}

/** Escapes the special characters of `like` patterns. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
