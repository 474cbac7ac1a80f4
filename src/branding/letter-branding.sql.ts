import { t } from '../language/text.ts';
import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { invalidField } from '../platform/failure.ts';

export const letterBrandingColumns = [
  'id',
  'name',
  'filename',
  'created_by_id as created_by',
  'created_at',
  'updated_at',
  'active',
] as const;

export const taken = {
  name: t('Name already in use'),
  filename: t('Filename already in use'),
};

const meanings = {
  letter_branding_name_key: () => invalidField('name', taken.name),
  letter_branding_filename_key: () => invalidField('filename', taken.filename),
};

export function selectActiveLetterBrandings(db: Db) {
  return db
    .selectFrom('letter_branding')
    .select(letterBrandingColumns)
    .where('active', '=', true)
    .orderBy('name')
    .execute();
}

export function selectLetterBranding(db: Db, id: string) {
  return db.selectFrom('letter_branding').select(letterBrandingColumns).where('id', '=', id).executeTakeFirst();
}

export function insertLetterBranding(
  db: Db,
  row: { id: string; name: string; filename: string; created_by_id?: string; created_at: Timestamp },
) {
  return withConstraints(meanings, () =>
    db.insertInto('letter_branding').values(row).returning(letterBrandingColumns).executeTakeFirstOrThrow(),
  );
}

export function updateLetterBrandingRow(
  db: Db,
  id: string,
  change: { name?: string; filename?: string; active?: boolean; updated_by_id?: string; updated_at: Timestamp },
) {
  return withConstraints(meanings, () =>
    db
      .updateTable('letter_branding')
      .set(change)
      .where('id', '=', id)
      .returning(letterBrandingColumns)
      .executeTakeFirst(),
  );
}

/** Selects other brands with the same name or file name. */
export function selectBrandsWithNames(db: Db, wanted: { name: string; filename: string }, exceptId?: string) {
  let query = db
    .selectFrom('letter_branding')
    .select(['name', 'filename'])
    .where((brand) => brand.or([brand('name', '=', wanted.name), brand('filename', '=', wanted.filename)]));
  if (exceptId !== undefined) query = query.where('id', '<>', exceptId);
  return query.execute();
}

/** Locks the row until the transaction ends. This blocks new references to the brand, because they lock the row's key. */
export function lockLetterBranding(tx: Tx, id: string) {
  return tx
    .selectFrom('letter_branding')
    .select(['name', 'filename'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function deleteFromLetterPools(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('organisation_letter_branding_pool').where('letter_branding_id', '=', id).execute();
}
