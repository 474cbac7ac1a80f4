import { t } from '../language/text.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { invalid, invalidField } from '../platform/failure.ts';

export type BrandType = 'org' | 'both' | 'org_banner';

export interface EmailBrandingFields {
  name: string;
  brand_type: BrandType;
  colour: string | null;
  logo: string | null;
  text: string | null;
  alt_text: string | null;
}

export const emailBrandingColumns = [
  'id',
  'name',
  'colour',
  'logo',
  'text',
  'alt_text',
  'brand_type',
  'active',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
] as const;

const meanings = {
  email_branding_name_key: () => invalidField('name', t('An email branding with that name already exists.')),
  email_branding_text_or_alt_text: () => invalid('Email branding must have exactly one of alt_text and text.'),
};

export function selectActiveEmailBrandings(db: Db) {
  return db
    .selectFrom('email_branding')
    .select(emailBrandingColumns)
    .where('active', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectEmailBranding(db: Db, id: string) {
  return db.selectFrom('email_branding').select(emailBrandingColumns).where('id', '=', id).executeTakeFirst();
}

export function insertEmailBranding(
  db: Db,
  row: Partial<EmailBrandingFields> & {
    id: string;
    name: string;
    brand_type: BrandType;
    created_by?: string;
    created_at: Timestamp;
  },
) {
  return withConstraints(meanings, () =>
    db.insertInto('email_branding').values(row).returning(emailBrandingColumns).executeTakeFirstOrThrow(),
  );
}

export function updateEmailBrandingRow(
  db: Db,
  id: string,
  change: Partial<EmailBrandingFields> & { active?: boolean; updated_by?: string; updated_at: Timestamp },
) {
  return withConstraints(meanings, () =>
    db
      .updateTable('email_branding')
      .set(change)
      .where('id', '=', id)
      .returning(emailBrandingColumns)
      .executeTakeFirst(),
  );
}

/** Locks the row until the transaction ends. This blocks new references to the brand, because they lock the row's key. */
export function lockEmailBranding(tx: Tx, id: string) {
  return tx.selectFrom('email_branding').select('name').where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function deleteFromEmailPools(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('organisation_email_branding_pool').where('email_branding_id', '=', id).execute();
}
