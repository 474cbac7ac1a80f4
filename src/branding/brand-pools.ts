import { getOrganisation } from '../organisations/organisations.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { invalid, invalidField, notFound } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import {
  type BrandKind,
  deleteFromPool,
  insertIntoPool,
  selectEmailPool,
  selectLetterPool,
  selectOrganisationsWithBrand,
} from './brand-pools.sql.ts';

export async function listEmailPool(db: Db, organisationId: string) {
  await getOrganisation(db, organisationId);
  return selectEmailPool(db, organisationId);
}

export async function listLetterPool(db: Db, organisationId: string) {
  await getOrganisation(db, organisationId);
  return selectLetterPool(db, organisationId);
}

export function listOrganisationsWithBrand(db: Db, kind: BrandKind, brandId: string) {
  return selectOrganisationsWithBrand(db, kind, brandId);
}

export async function addToPool(
  app: Platform,
  kind: BrandKind,
  organisationId: string,
  brandIds: string[],
): Promise<void> {
  await getOrganisation(app.db, organisationId);
  const ids = [...new Set(brandIds.map((id) => id.toLowerCase()))];
  await inTransaction(app.db, async (tx) => {
    if ((await insertIntoPool(tx, kind, organisationId, ids)) < ids.length) {
      throw invalidField('branding_ids', 'No result found');
    }
  });
}

/** An organisation's default brand is always in its pool. */
export async function addDefaultToPool(
  tx: Tx,
  kind: BrandKind,
  organisationId: string,
  brandId: string,
): Promise<void> {
  await insertIntoPool(tx, kind, organisationId, [brandId]);
}

export async function removeFromPool(
  app: Platform,
  kind: BrandKind,
  organisationId: string,
  brandId: string,
): Promise<void> {
  const organisation = await getOrganisation(app.db, organisationId);
  const { email_branding_id, letter_branding_id } = organisation;
  await inTransaction(app.db, async (tx) => {
    const left = await deleteFromPool(tx, kind, organisationId, brandId);
    if (left === undefined) {
      const brand = kind === 'email' ? 'Email branding' : 'Letter branding';
      throw notFound(`${brand} ${brandId} not in ${organisation.name}'s pool`);
    }
    if ((kind === 'email' ? email_branding_id : letter_branding_id) === left) {
      throw invalid(`You cannot remove an organisation's default ${kind} branding`);
    }
  });
}
