import { sql } from 'kysely';
import type { CountryProfile } from '../../countries/profile.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

/** The values that stored keys depend on, and the profile of the latest start. */
export interface Installation {
  country: string;
  zone: string;
  currency: string;
  /** The slot of each class, including classes that the profile no longer has. */
  postage: Record<string, number>;
  profile: CountryProfile;
}

/** Returns undefined before the first start. */
export async function selectInstallation(db: Db | Tx): Promise<Installation | undefined> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('installation') is not null as exists`.execute(db);
  if (!found[0]?.exists) return undefined;
  const { rows } = await sql<Installation>`
    select country, zone, currency, postage, profile from installation`.execute(db);
  return rows[0];
}

/** Whether a message was ever accepted. Also checks statistics, because message rows are deleted after the retention period. */
export async function hasMessages(db: Db | Tx): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from notifications) or exists (select from status_count_changes)
      or exists (select from daily_status_counts) or exists (select from service_status_spans)
      or exists (select from platform_status_totals) as found`.execute(db);
  return rows[0]?.found ?? false;
}

export async function insertInstallation(tx: Tx, installation: Installation, chosenAt: Timestamp): Promise<void> {
  const { country, zone, currency, postage, profile } = installation;
  await sql`
    insert into installation (country, zone, currency, postage, profile, chosen_at) values (
      ${country}, ${zone}, ${currency}, ${JSON.stringify(postage)}, ${JSON.stringify(profile)}, ${chosenAt}
    )`.execute(tx);
}

export async function updateInstallation(tx: Tx, installation: Installation, chosenAt?: Timestamp): Promise<void> {
  const { country, zone, currency, postage, profile } = installation;
  await sql`
    update installation set country = ${country}, zone = ${zone}, currency = ${currency},
      postage = ${JSON.stringify(postage)}::jsonb, profile = ${JSON.stringify(profile)}::jsonb,
      chosen_at = ${chosenAt === undefined ? sql`chosen_at` : chosenAt}`.execute(tx);
}

/** Also updates the stored profile, so that the next start finds no other difference. */
export async function updateZone(tx: Tx, zone: string): Promise<void> {
  await sql`
    update installation
    set zone = ${zone}, profile = jsonb_set(profile, '{calendar,zone}', to_jsonb(${zone}::text))`.execute(tx);
}

/** Also updates the stored profile, like `updateZone`. */
export async function updatePostage(
  tx: Tx,
  slots: Readonly<Record<string, number>>,
  profile: CountryProfile,
): Promise<void> {
  await sql`
    update installation
    set postage = ${JSON.stringify(slots)}::jsonb,
      profile = jsonb_set(profile, '{postage}', ${JSON.stringify(profile.postage)}::jsonb)`.execute(tx);
}

export async function insertZoneChange(
  tx: Tx,
  change: { first_day: string; old_zone: string; new_zone: string; changed_at: Timestamp },
): Promise<void> {
  await tx.insertInto('zone_changes').values(change).execute();
}

export async function selectLatestZoneChange(db: Db): Promise<{ first_day: string; old_zone: string } | undefined> {
  return db
    .selectFrom('zone_changes')
    .select(['first_day', 'old_zone'])
    .orderBy('changed_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Counts connections of this service, as far as this role can see them. */
export async function countOtherConnections(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Whether PostgreSQL knows the zone: it has its own time zone database. */
export async function knowsZone(db: Db | Tx, zone: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select from pg_timezone_names where name = ${zone}) as known`.execute(db);
  return rows[0]?.known ?? false;
}
