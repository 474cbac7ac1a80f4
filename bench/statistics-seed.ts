import { sql } from 'kysely';
import { foldRollups } from '../src/notifications/fold.ts';
import { timestamp } from '../src/platform/clock.ts';
import type { Db } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/id.ts';

/**
 * A year and more of messages, without storing them: they are drawn into a plain table, and the rollups are counted from
 * that in two statements. That the outcome is what accepting and delivering each of them would have left is proved in
 * test/statistics-seed.test.ts.
 */
export interface Seed {
  messages: number;
  services: number;
  days: number;
  now: Date;
}

/** On a connection without the limits that keep a product responsive. */
export async function seedFigures(db: Db, seed: Seed): Promise<{ services: string[]; organisations: string[] }> {
  return db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection);
    await sql`set work_mem = '256MB'`.execute(connection);
    const seeded = await seedServices(connection, seed);
    await drawMessages(connection, seed, seeded.services);
    await rollUpMessages(connection);
    await foldSeed(connection, seed.now);
    await sql`set statement_timeout = '60s'`.execute(connection);
    await sql`reset work_mem`.execute(connection);
    return seeded;
  });
}

export async function seedServices(
  db: Db,
  { services, now }: Seed,
): Promise<{ services: string[]; organisations: string[] }> {
  const created_at = timestamp(now);
  const user = newId(now);
  await db
    .insertInto('users')
    .values({
      id: user,
      name: 'Bench',
      email_address: 'bench@example.org',
      password_hash: 'none',
      state: 'active',
      mobile_number: '07700900000',
      email_access_validated_at: created_at,
      password_changed_at: created_at,
      created_at,
    })
    .execute();
  const organisations = Array.from({ length: Math.ceil(services / 8) }, () => newId(now));
  await db
    .insertInto('organisations')
    .values(organisations.map((id, index) => ({ id, name: `Organisation ${index}`, created_at })))
    .execute();
  const ids = Array.from({ length: services }, () => newId(now));
  for (const [index, id] of ids.entries()) {
    await db
      .insertInto('services')
      .values({
        id,
        name: `Service ${index}`,
        normalised_name: `service.${index}`,
        restricted: false,
        created_by_id: user,
        organisation_id: organisations[index % organisations.length],
        organisation_type: 'local',
        permissions: ['sms', 'email', 'letter'],
        email_message_limit: 250_000,
        sms_message_limit: 250_000,
        letter_message_limit: 20_000,
        international_sms_message_limit: 100,
        email_sender_local_part: `service.${index}`,
        created_at,
      })
      .execute();
  }
  await sql`insert into annual_allowances (service_id, financial_year_start, free_sms_fragment_limit, created_at)
    select id, year, 1000, ${created_at} from services cross join (values (2025), (2026)) as years (year)`.execute(db);
  return { services: ids, organisations };
}

/** Some services send far more than others; 45 % text messages, 50 % email, 5 % letters; three templates of each. */
export async function drawMessages(db: Db, { messages, days, now }: Seed, services: string[]): Promise<void> {
  const random = (salt: number) => sql`((hashint8extended(i, ${sql.lit(salt)}) & 1048575) / 1048576.0)`;
  await sql`create unlogged table seeded_messages as
    select (${services}::uuid[])[1 + floor(${sql.lit(services.length)} * service * service)::int] as service_id,
      md5(concat(floor(${sql.lit(services.length)} * service * service), type, floor(template * 3)))::uuid as template_id,
      type as notification_type,
      case when key < 0.9 then 'normal' when key < 0.93 then 'team' else 'test' end as key_type,
      case type
        when 'sms' then case when outcome < 0.92 then 'delivered' when outcome < 0.94 then 'temporary-failure'
          when outcome < 0.96 then 'permanent-failure' when outcome < 0.97 then 'technical-failure'
          when outcome < 0.99 then 'sending' else 'created' end
        when 'email' then case when outcome < 0.95 then 'delivered' when outcome < 0.97 then 'permanent-failure'
          when outcome < 0.98 then 'temporary-failure' else 'sending' end
        else case when outcome < 0.9 then 'delivered' when outcome < 0.92 then 'cancelled'
          when outcome < 0.94 then 'validation-failed' else 'sending' end
      end as status,
      case type when 'sms' then case when provider < 0.5 then 'mmg' else 'firetext' end when 'email' then 'ses' else 'dvla' end
        as provider,
      case when type = 'sms' and abroad > 0.95 then 2 + floor((abroad - 0.95) * 60)::int else 1 end as rate_multiplier,
      type = 'sms' and abroad > 0.95 as international,
      case when type = 'letter' then case when post < 0.7 then 'second' when post < 0.85 then 'first'
        when post < 0.9 then 'economy' when post < 0.95 then 'europe' else 'rest-of-world' end end as postage,
      case type when 'sms' then 1 + floor(3 * units * units)::int when 'letter' then 1 + floor(5 * units * units)::int
        else 0 end as billable_units,
      ${timestamp(now)}::timestamptz - age * ${sql.lit(days)} * interval '1 day' as created_at
    from (
      select ${random(1)} as service, ${random(2)} as template, ${random(3)} as key, ${random(4)} as outcome,
        ${random(5)} as provider, ${random(6)} as abroad, ${random(7)} as post, ${random(8)} as units, ${random(9)} as age,
        case when ${random(10)} < 0.45 then 'sms' when ${random(10)} < 0.95 then 'email' else 'letter' end as type
      from generate_series(1::bigint, ${sql.lit(messages)}) as i
    ) as drawn`.execute(db);
}

/** What accepting each message, handing it over and taking its receipt leaves: rows of statuses it has left count 0. */
export async function rollUpMessages(db: Db): Promise<void> {
  const day = sql`(created_at at time zone 'Europe/London')::date`;
  await sql`
    insert into daily_status_counts (london_day, service_id, template_id, notification_type, key_type, status, count)
    select ${day}, service_id, template_id, notification_type, key_type, passed.status,
      count(*) filter (where passed.status = seeded_messages.status)
    from seeded_messages cross join lateral unnest(
      case status when 'created' then array['created'] when 'sending' then array['created', 'sending']
        when 'cancelled' then array['created', status] when 'validation-failed' then array['created', status]
        else array['created', 'sending', status] end) as passed (status)
    group by 1, 2, 3, 4, 5, 6
    order by 1`.execute(db);
  const counts = sql`status <> 'technical-failure'`;
  await sql`
    insert into daily_usage (london_day, service_id, template_id, notification_type, provider, rate_multiplier,
      international, postage, sheets, billable_units, notifications_sent)
    select ${day}, service_id, template_id, notification_type, provider,
      case when notification_type = 'email' then 0 else rate_multiplier end, international, coalesce(postage, 'none'),
      case when notification_type = 'letter' then billable_units else 0 end,
      coalesce(sum(billable_units) filter (where ${counts}), 0), count(*) filter (where ${counts})
    from seeded_messages
    where key_type <> 'test' and status not in ('created', 'cancelled', 'validation-failed')
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    order by 1`.execute(db);
  await sql`
    insert into letter_despatches (notification_id, service_id, despatched_on, postage, sheets, cost_threshold, created_at)
    select gen_random_uuid(), service_id, ${day}, postage, billable_units,
      case when postage = 'second' then 'sorted' else 'unsorted' end, created_at
    from seeded_messages where notification_type = 'letter' and status = 'delivered' and key_type <> 'test'`.execute(
    db,
  );
}

/** Folded up to the day before yesterday, as if the hourly task had failed for a day: no better than life. */
async function foldSeed(db: Db, now: Date): Promise<void> {
  await foldRollups(db, new Date(now.getTime() - 86_400_000), 100_000);
  await sql`drop table seeded_messages`.execute(db);
  for (const table of rolled) await sql`vacuum analyze ${sql.table(table)}`.execute(db);
}

const rolled = [
  'daily_status_counts',
  'daily_usage',
  'service_usage_totals',
  'service_status_totals',
  'platform_usage_totals',
  'platform_status_totals',
  'letter_despatches',
  'daily_despatches',
  'annual_allowances',
  'services',
];
