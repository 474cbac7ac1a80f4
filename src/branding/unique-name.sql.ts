import { type SqlBool, sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { escapeLike } from '../platform/db/expressions.ts';

/** Brands with that name or one of its alternates, ignoring case. */
export function selectSimilarNames(db: Db, brands: 'email_branding' | 'letter_branding', name: string) {
  const alternates = `${escapeLike(name)} (alternate %)`;
  const isSame = sql<boolean>`lower(name) = lower(${name})`;
  return db
    .selectFrom(brands)
    .select(['name', isSame.as('is_same')])
    .where((brand) => brand.or([isSame, sql<SqlBool>`lower(name) like lower(${alternates})`]))
    .execute();
}
