import { type Insertable, sql, type Updateable } from 'kysely';
import { t } from '../language/text.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { withConstraints } from '../platform/db/errors.ts';
import { anyOf, likeContains } from '../platform/db/expressions.ts';
import type { DB } from '../platform/db/schema.ts';
import { invalid, invalidField } from '../platform/failure.ts';

const domains = sql<string[]>`array(
  select domain::text from organisation_domains where organisation_id = organisations.id order by domain)`;

const liveServices = sql<number>`(
  select count(*) from services where organisation_id = organisations.id and active and not restricted)`;

const shortColumns = [
  'id',
  'name',
  'active',
  'organisation_type',
  domains.as('domains'),
  liveServices.as('count_of_live_services'),
] as const;

const columns = [
  ...shortColumns,
  'crown',
  'email_branding_id',
  'letter_branding_id',
  'agreement_signed',
  'agreement_signed_at',
  'agreement_signed_by_id',
  'agreement_signed_on_behalf_of_name',
  'agreement_signed_on_behalf_of_email_address',
  sql<number | null>`agreement_signed_version::float8`.as('agreement_signed_version'),
  'request_to_go_live_notes',
  'notes',
  'purchase_order_number',
  'billing_contact_names',
  'billing_contact_email_addresses',
  'billing_reference',
  'email_annual_limit',
  'sms_annual_limit',
  'letter_annual_limit',
  'can_approve_own_go_live_requests',
  'permissions',
] as const;

const meanings = {
  organisations_name_key: () => invalid(t('Organisation name already exists')),
  organisation_domains_pkey: () => invalid(t('Domain already exists')),
  organisations_email_branding_id_fkey: () => invalidField('email_branding_id', 'No result found'),
  organisations_letter_branding_id_fkey: () => invalidField('letter_branding_id', 'No result found'),
  organisations_agreement_signed_by_id_fkey: () => invalidField('agreement_signed_by_id', 'No result found'),
};

/**
 * Selects active organisations first, optionally filtered by part of the name. Counts the services of all in one pass: with a subquery for
 * each of 2,000, this took more than ten seconds.
 */
export function selectOrganisations(db: Db, nameContains?: string) {
  const live = db
    .selectFrom('services')
    .select((service) => ['organisation_id', service.fn.countAll<number>().as('count')])
    .where('active', '=', true)
    .where('restricted', '=', false)
    .groupBy('organisation_id')
    .as('live');
  let query = db
    .selectFrom('organisations')
    .leftJoin(live, 'live.organisation_id', 'organisations.id')
    .select(['id', 'name', 'active', 'organisation_type', domains.as('domains')])
    .select(sql<number>`coalesce(live.count, 0)`.as('count_of_live_services'));
  if (nameContains !== undefined) query = query.where('name', 'ilike', likeContains(nameContains));
  return query.orderBy('active', 'desc').orderBy('name').execute();
}

const maxChoices = 2_000;

/** Selects organisations sorted by name. */
export function selectActiveOrganisations(db: Db) {
  return db
    .selectFrom('organisations')
    .select(['id', 'name'])
    .where('active', '=', true)
    .orderBy('name')
    .limit(maxChoices)
    .execute();
}

/** Selects a page: active organisations first, then by name, filtered by part of the name. */
export async function selectOrganisationPage(db: Db, page: { text: string; skip: number; limit: number }) {
  let found = db.selectFrom('organisations');
  if (page.text !== '') found = found.where('name', 'ilike', likeContains(page.text));
  const [organisations, { total }] = await Promise.all([
    found
      .select(shortColumns)
      .orderBy('active', 'desc')
      .orderBy(sql`lower(name)`)
      .orderBy('id')
      .limit(page.limit)
      .offset(page.skip)
      .execute(),
    found.select((one) => one.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { organisations, total };
}

export function selectOrganisation(db: Db | Tx, id: string) {
  return db.selectFrom('organisations').select(columns).where('id', '=', id).executeTakeFirst();
}

/**
 * Locks the row until the transaction ends. The lock for archiving also prevents new services and members from referencing the row. The
 * lock for an update must not: two transactions that wait for each other's service would deadlock.
 */
export function lockOrganisation(tx: Tx, id: string, before: 'change' | 'archive') {
  const row = tx.selectFrom('organisations').select(['name', 'active']).where('id', '=', id);
  return (before === 'archive' ? row.forUpdate() : row.forNoKeyUpdate()).executeTakeFirst();
}

export async function insertOrganisation(db: Db, row: Insertable<DB['organisations']>): Promise<void> {
  await withConstraints(meanings, () => db.insertInto('organisations').values(row).execute());
}

export async function updateOrganisationRow(
  tx: Tx,
  id: string,
  change: Updateable<DB['organisations']>,
): Promise<void> {
  await withConstraints(meanings, () => tx.updateTable('organisations').set(change).where('id', '=', id).execute());
}

export async function replaceDomains(tx: Tx, organisation_id: string, names: string[]): Promise<void> {
  await tx.deleteFrom('organisation_domains').where('organisation_id', '=', organisation_id).execute();
  await withConstraints(meanings, () =>
    sql`insert into organisation_domains (domain, organisation_id)
      select unnest(${names}::text[]), ${organisation_id}`.execute(tx),
  );
}

export function selectOrganisationIdByDomains(db: Db, names: string[]) {
  return db
    .selectFrom('organisation_domains')
    .select('organisation_id')
    .where('domain', '=', anyOf(names, 'text'))
    .orderBy(sql`length(domain)`, 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function selectArchiveBlockers(tx: Tx, id: string) {
  return tx
    .selectNoFrom((one) => [
      one
        .exists(one.selectFrom('services').select('id').where('organisation_id', '=', id).where('active', '=', true))
        .as('active_services'),
      one
        .exists(one.selectFrom('organisation_members').select('user_id').where('organisation_id', '=', id))
        .as('members'),
      one
        .exists(
          one
            .selectFrom('organisation_invites')
            .select('id')
            .where('organisation_id', '=', id)
            .where('status', '=', 'pending'),
        )
        .as('invites'),
    ])
    .executeTakeFirstOrThrow();
}

export function selectOrganisationIdOfService(db: Db, serviceId: string) {
  return db.selectFrom('services').select('organisation_id').where('id', '=', serviceId).executeTakeFirst();
}
