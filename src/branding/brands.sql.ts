import { type SqlBool, sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { escapeLike } from '../platform/db/expressions.ts';

type BrandColumn = 'email_branding_id' | 'letter_branding_id';

/** Selects active organisations with this default brand, and active services that use it. */
export async function selectBrandUsers(db: Db, column: BrandColumn, brandId: string) {
  const organisations = await db
    .selectFrom('organisations')
    .select(['id', 'name', 'active'])
    .where(column, '=', brandId)
    .where('active', '=', true)
    .orderBy('name')
    .execute();
  const services = await db
    .selectFrom('services')
    .select(['id', 'name', 'active', 'restricted'])
    .where(column, '=', brandId)
    .where('active', '=', true)
    .orderBy('name')
    .execute();
  return { organisations, services };
}

/** Counts the active services that use each brand. */
export async function selectServiceCounts(db: Db, column: BrandColumn): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('services')
    .select((service) => [column, service.fn.countAll<number>().as('count')])
    .where(column, 'is not', null)
    .where('active', '=', true)
    .groupBy(column)
    .execute();
  return new Map(rows.map((row) => [String((row as Record<BrandColumn, string>)[column]), row.count]));
}

/** Selects brands with that name or one of its alternates, ignoring case. */
export function selectSimilarNames(db: Db, brands: 'email_branding' | 'letter_branding', name: string) {
  const alternates = `${escapeLike(name)} (alternate %)`;
  const isSame = sql<boolean>`lower(name) = lower(${name})`;
  return db
    .selectFrom(brands)
    .select(['name', isSame.as('is_same')])
    .where((brand) => brand.or([isSame, sql<SqlBool>`lower(name) like lower(${alternates})`]))
    .execute();
}
