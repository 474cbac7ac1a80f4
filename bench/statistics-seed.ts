import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { Calendar } from '../src/countries/calendar.ts';
import { statuses } from '../src/notifications/notification.ts';
import { timestamp } from '../src/platform/clock.ts';
import type { Db } from '../src/platform/db/database.ts';
import { localDay } from '../src/platform/db/local-day.ts';
import { newId } from '../src/platform/id.ts';

/**
 * More than a year of messages, without storing them: they are generated into a plain table, and the rollups and their totals
 * are counted from that, one statement each. test/statistics-seed.test.ts proves that the result equals that of accepting,
 * delivering and folding each message.
 */
interface Seed {
  messages: number;
  services: number;
  days: number;
  now: Date;
}

/** On a connection of tasks: drawing millions of messages takes minutes. */
export async function seedFigures(
  db: Db,
  seed: Seed,
  progress: (line: string) => void,
): Promise<{ services: string[]; organisations: string[] }> {
  return db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection);
    await sql`set work_mem = '256MB'`.execute(connection);
    // The benchmark is about reading: after a crash, just run it again.
    await sql`set synchronous_commit = off`.execute(connection);
    const seeded = await seedServices(connection, seed);
    progress(`${seed.messages} messages are drawn`);
    await drawMessages(connection, seed, seeded.services);
    progress(`${seed.messages} messages are counted by day`);
    await rollUpMessages(connection, seed);
    progress('days are added up');
    await addUpRollups(connection);
    await sql`drop table seeded_messages`.execute(connection);
    for (const table of rolled) await sql`vacuum analyze ${sql.table(table)}`.execute(connection);
    // Otherwise it would be written to disk while reports are measured.
    await sql`checkpoint`.execute(connection);
    for (const setting of ['statement_timeout', 'work_mem', 'synchronous_commit']) {
      await sql`reset ${sql.ref(setting)}`.execute(connection);
    }
    return seeded;
  });
}

/** Three templates of each type in every service. */
export function seededTemplate(service: number, type: string, number: number): string {
  const digits = createHash('md5').update(`${service}${type}${number}`).digest('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
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
  await sql`insert into templates (id, service_id, name, template_type, content, version, archived, hidden, process_type,
      redact_personalisation, has_unsubscribe_link, created_by_id, created_at)
    select md5(concat(service_number - 1, type, number))::uuid, service_id, concat(type, ' ', number), type, 'Hello', 1, false,
      false, 'normal', false, false, ${user}, ${created_at}
    from unnest(${ids}::uuid[]) with ordinality as service (service_id, service_number)
    cross join unnest(array['sms', 'email', 'letter']) as type cross join generate_series(0, 2) as number`.execute(db);
  await sql`insert into annual_allowances (service_id, financial_year_start, free_sms_fragment_limit, created_at)
    select id, year, 1000, ${created_at} from services cross join (values (2025), (2026)) as years (year)`.execute(db);
  return { services: ids, organisations };
}

/**
 * Some services send far more than others; 45 % text messages, 50 % email, 5 % letters; three templates of each. A letter
 * template has its postage and its length; one letter in ten goes abroad.
 */
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
      case when type = 'letter' then case when post < 0.05 then 'europe' when post < 0.1 then 'rest-of-world'
        else (array['second', 'first', 'economy'])[1 + floor(template * 3)::int] end end as postage,
      case type when 'sms' then 1 + floor(3 * units * units)::int
        when 'letter' then 1 + floor(5 * power(hashint4extended(floor(${sql.lit(services.length)} * service * service)::int,
          floor(template * 3)::bigint) & 1023, 3) / power(1024, 3))::int
        else 0 end as billable_units,
      ${timestamp(now)}::timestamptz - age * ${sql.lit(days)} * interval '1 day' as created_at
    from (
      select ${random(1)} as service, ${random(2)} as template, ${random(3)} as key, ${random(4)} as outcome,
        ${random(5)} as provider, ${random(6)} as abroad, ${random(7)} as post, ${random(8)} as units, ${random(9)} as age,
        case when ${random(10)} < 0.45 then 'sms' when ${random(10)} < 0.95 then 'email' else 'letter' end as type
      from generate_series(1::bigint, ${sql.lit(messages)}) as i
    ) as drawn`.execute(db);
}

/** When the totals were last updated: a quarter of an hour ago, as scheduled. */
export function foldedUpTo({ now }: Pick<Seed, 'now'>): Date {
  return new Date(now.getTime() - 15 * 60_000);
}

/**
 * The rows after accepting each message, handing it over and recording its receipt: statuses it has left count 0. A row
 * that no message has changed since then is folded.
 */
export async function rollUpMessages(db: Db, seed: Pick<Seed, 'now'>): Promise<void> {
  const day = localDay(new Calendar('Europe/London'), 'created_at');
  const before = sql`created_at < ${timestamp(foldedUpTo(seed))}`;
  await sql`
    insert into daily_status_counts (london_day, service_id, template_id, notification_type, key_type, status, count, folded,
      folded_count)
    select ${day} as london_day, service_id, template_id, notification_type, key_type, passed.status,
      count(*) filter (where passed.status = seeded_messages.status), bool_and(${before}),
      count(*) filter (where passed.status = seeded_messages.status and ${before})
    from seeded_messages cross join lateral unnest(
      case status when 'created' then array['created'] when 'sending' then array['created', 'sending']
        when 'cancelled' then array['created', status] when 'validation-failed' then array['created', status]
        else array['created', 'sending', status] end) as passed (status)
    group by 2, 1, 4, 5, 6, 3
    order by 2, 1, 4, 5, 6, 3`.execute(db);
  const counts = sql`status <> 'technical-failure'`;
  await sql`
    insert into daily_usage (london_day, service_id, template_id, notification_type, provider, rate_multiplier,
      international, postage, sheets, billable_units, notifications_sent, folded, folded_units, folded_sent)
    select ${day}, service_id, template_id, notification_type, provider,
      case when notification_type = 'email' then 0 else rate_multiplier end, international, coalesce(postage, 'none'),
      case when notification_type = 'letter' then billable_units else 0 end,
      coalesce(sum(billable_units) filter (where ${counts}), 0), count(*) filter (where ${counts}), bool_and(${before}),
      coalesce(sum(billable_units) filter (where ${counts} and ${before}), 0),
      count(*) filter (where ${counts} and ${before})
    from seeded_messages
    where key_type <> 'test' and status not in ('created', 'cancelled', 'validation-failed')
    group by 2, 1, 4, 3, 5, 6, 7, 8, 9
    order by 2, 1, 4, 3, 5, 6, 7, 8, 9`.execute(db);
  await sql`
    insert into letter_despatches (notification_id, service_id, despatched_on, postage, sheets, cost_threshold, created_at)
    select gen_random_uuid(), service_id, ${day}, postage, billable_units,
      case when postage = 'second' then 'sorted' else 'unsorted' end, created_at
    from seeded_messages where notification_type = 'letter' and status = 'delivered' and key_type <> 'test'`.execute(
    db,
  );
}

/** The totals after folding, in order of time; totals of only zeros are left out. */
export async function addUpRollups(db: Db): Promise<void> {
  const month = sql`date_trunc('month', london_day::timestamp)::date`;
  const spans = sql`(values ('month', ${month}), ('five_days', five_days_start(london_day)), ('day', london_day))
    as spans (span, first_day)`;
  const sent = (condition: RawBuilder<unknown>) => sql`coalesce(sum(folded_sent) filter (where ${condition}), 0)`;
  const kinds = Array.from({ length: 35 }, (_, kind) =>
    sent(sql`case when notification_type = 'letter' then letter_kind(postage, sheets) = ${sql.lit(kind + 1)} end`),
  );
  await sql`
    insert into service_usage_spans (service_id, span, first_day, sms_sent, sms_chargeable_units, emails_sent, letters)
    select service_id, span, first_day, ${sent(sql`notification_type = 'sms'`)},
      coalesce(sum(folded_units * rate_multiplier) filter (where notification_type = 'sms'), 0),
      ${sent(sql`notification_type = 'email'`)}, array[${sql.join(kinds)}]::integer[]
    from (
      select service_id, london_day, notification_type, rate_multiplier, postage, sheets, sum(folded_units) as folded_units,
        sum(folded_sent) as folded_sent
      from daily_usage where folded_sent > 0 group by 1, 2, 3, 4, 5, 6
    ) as used cross join lateral ${spans} group by 1, 2, 3 order by 3, 2, 1`.execute(db);
  await sql`
    insert into platform_usage_totals (london_day, notification_type, provider, rate_multiplier, billable_units,
      notifications_sent)
    select london_day, notification_type, provider, rate_multiplier, sum(folded_units), sum(folded_sent)
    from daily_usage where folded_sent > 0 group by 1, 2, 3, 4 order by 1`.execute(db);
  const counted = statuses.map(
    (status) => sql`coalesce(sum(folded_count) filter (where status = ${sql.lit(status)}), 0)`,
  );
  await sql`
    insert into service_status_spans (service_id, span, first_day, notification_type, of_test_keys,
      ${sql.join(statuses.map((status) => sql.raw(status.replaceAll('-', '_'))))})
    select service_id, span, first_day, notification_type, of_test_keys, ${sql.join(counted)}
    from (
      select service_id, london_day, notification_type, key_type = 'test' as of_test_keys, status,
        sum(folded_count) as folded_count
      from daily_status_counts where folded_count > 0 group by 1, 2, 3, 4, 5
    ) as counted cross join lateral ${spans} group by 1, 2, 3, 4, 5 order by 3, 2, 1`.execute(db);
  await sql`
    insert into template_status_totals (service_id, template_id, month, status, count)
    select service_id, template_id, ${month}, status, sum(folded_count)
    from daily_status_counts where folded_count > 0 and key_type <> 'test' group by 1, 2, 3, 4 order by 1, 2, 3`.execute(
    db,
  );
  await sql`
    insert into platform_status_totals (london_day, notification_type, status, count)
    select london_day, notification_type, status, sum(folded_count)
    from daily_status_counts where folded_count > 0 and key_type <> 'test' group by 1, 2, 3 order by 1`.execute(db);
}

const rolled = [
  'templates',
  'daily_status_counts',
  'daily_usage',
  'service_usage_spans',
  'service_status_spans',
  'template_status_totals',
  'platform_usage_totals',
  'platform_status_totals',
  'letter_despatches',
  'daily_despatches',
  'annual_allowances',
  'services',
];
