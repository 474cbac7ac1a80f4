import type { Tx } from '../platform/db/database.ts';

/** The organisation of services with the type `nhs_notify`, if it exists. */
export const nhsNotifyOrganisationId = '477f8870-af2b-4b81-9a2c-1fad12028919';

export async function selectOrganisationId(tx: Tx, id: string): Promise<string | undefined> {
  return (await tx.selectFrom('organisations').select('id').where('id', '=', id).executeTakeFirst())?.id;
}

/** The brands named `NHS`, if they exist. */
export function selectNhsBrands(tx: Tx) {
  return tx
    .selectNoFrom((one) => [
      one
        .selectFrom('email_branding')
        .select('id')
        .where('name', '=', 'NHS')
        .where('active', '=', true)
        .as('email_branding_id'),
      one.selectFrom('letter_branding').select('id').where('name', '=', 'NHS').as('letter_branding_id'),
    ])
    .executeTakeFirstOrThrow();
}
