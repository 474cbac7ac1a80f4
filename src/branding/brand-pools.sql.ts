import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';
import { emailBrandingColumns } from './email-branding.sql.ts';
import { letterBrandingColumns } from './letter-branding.sql.ts';

export type BrandKind = 'email' | 'letter';

export function selectEmailPool(db: Db, organisationId: string) {
  return db
    .selectFrom('email_branding')
    .innerJoin('organisation_email_branding_pool as pool', 'pool.email_branding_id', 'email_branding.id')
    .select(emailBrandingColumns)
    .where('pool.organisation_id', '=', organisationId)
    .orderBy('name')
    .execute();
}

export function selectLetterPool(db: Db, organisationId: string) {
  return db
    .selectFrom('letter_branding')
    .innerJoin('organisation_letter_branding_pool as pool', 'pool.letter_branding_id', 'letter_branding.id')
    .select(letterBrandingColumns)
    .where('pool.organisation_id', '=', organisationId)
    .orderBy('name')
    .execute();
}

/** Adds the brands that are not archived to the pool. Returns how many of the ids are of such brands. */
export async function insertIntoPool(tx: Tx, kind: BrandKind, organisationId: string, ids: string[]): Promise<number> {
  const found =
    kind === 'email'
      ? await sql<{ id: string }>`
          with brands as (select id from email_branding where id = any(${ids}::uuid[]) and active for key share),
          added as (insert into organisation_email_branding_pool select ${organisationId}, id from brands
            on conflict do nothing)
          select id from brands`.execute(tx)
      : await sql<{ id: string }>`
          with brands as (select id from letter_branding where id = any(${ids}::uuid[]) and active for key share),
          added as (insert into organisation_letter_branding_pool select ${organisationId}, id from brands
            on conflict do nothing)
          select id from brands`.execute(tx);
  return found.rows.length;
}

/** Returns the deleted row, if any. */
export async function deleteFromPool(
  tx: Tx,
  kind: BrandKind,
  organisationId: string,
  brandId: string,
): Promise<string | undefined> {
  const [left] =
    kind === 'email'
      ? await tx
          .deleteFrom('organisation_email_branding_pool')
          .where('organisation_id', '=', organisationId)
          .where('email_branding_id', '=', brandId)
          .returning('email_branding_id as id')
          .execute()
      : await tx
          .deleteFrom('organisation_letter_branding_pool')
          .where('organisation_id', '=', organisationId)
          .where('letter_branding_id', '=', brandId)
          .returning('letter_branding_id as id')
          .execute();
  return left?.id;
}

/** Selects active organisations whose services can choose the brand, by name. */
export async function selectOrganisationsWithBrand(db: Db, kind: BrandKind, brandId: string) {
  const table = sql.table(kind === 'email' ? 'organisation_email_branding_pool' : 'organisation_letter_branding_pool');
  const column = sql.ref(kind === 'email' ? 'pool.email_branding_id' : 'pool.letter_branding_id');
  const { rows } = await sql<{ id: string; name: string }>`
    select organisations.id, organisations.name from organisations join ${table} as pool on pool.organisation_id = organisations.id
    where ${column} = ${brandId} and organisations.active order by organisations.name`.execute(db);
  return rows;
}
