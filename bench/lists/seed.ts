import { sql } from 'kysely';
import { addDays, Calendar } from '../../src/countries/calendar.ts';
import { createPartition } from '../../src/notifications/partitions.sql.ts';
import { partitionOf } from '../../src/notifications/partitions.ts';
import { timestamp } from '../../src/platform/clock.ts';
import type { Db } from '../../src/platform/db/database.ts';
import type { Progress } from '../measurement.ts';
import { seedServices } from '../statistics-seed.ts';

const london = new Calendar('Europe/London');

/** The messages of one large service and everything else that its lists show, over eight days with today. */
const daysBack = 7;
const services = 300;
/** A file of so many rows on the second day; others have a thousand. */
const bigFile = 100_000;
const file = 1_000;

/** Values that three messages of the oldest day have, and values that none has. */
export const rare = {
  recipient: 'rare@example.net',
  reference: 'rare-reference',
  template: 'Rare template',
  status: 'technical-failure',
};
export const absent = { recipient: 'nobody@example.net', reference: 'absent-reference', status: 'virus-scan-failed' };

export interface Keys {
  normal: string;
  team: string;
  test: string;
}

interface Seed {
  messages: number;
  now: Date;
}

/** Services and templates, before keys can be created. Returns the service with the messages. */
export async function seedAccounts(db: Db, { now, messages }: Seed): Promise<string> {
  const seeded = await seedServices(db, { messages, services, days: daysBack, now });
  const service = seeded.services[0] ?? '';
  await sql`insert into templates (id, service_id, name, template_type, subject, content, version, archived, hidden,
      process_type, redact_personalisation, has_unsubscribe_link, created_by_id, created_at)
    select ${template('rare')}, ${service}::uuid, ${rare.template}, 'email', 'Rare', 'Hello ((name))', 1, false, false,
      'normal', false, false, created_by_id, created_at from services where id = ${service}
    union all
    select ${template('precompiled')}, ${service}::uuid, 'Pre-compiled PDF', 'letter', 'PDF', '', 1, false, true,
      'normal', false, false, created_by_id, created_at from services where id = ${service}
    union all
    select md5(concat('more', number))::uuid, ${service}::uuid, concat('More ', number), 'sms', null, 'Hello ((name))', 1,
      false, false, 'normal', false, false, created_by_id, created_at
    from services cross join generate_series(1, 200) as number where id = ${service}`.execute(db);
  await sql`update templates set subject = 'Subject' where template_type <> 'sms' and subject is null`.execute(db);
  await sql`insert into templates_history (id, service_id, name, template_type, subject, content, version, archived, hidden,
      process_type, redact_personalisation, has_unsubscribe_link, created_by_id, created_at)
    select id, service_id, name, template_type, subject, content, version, archived, hidden, process_type,
      redact_personalisation, has_unsubscribe_link, created_by_id, created_at from templates
    on conflict do nothing`.execute(db);
  return service;
}

const template = (name: string) => sql`md5(${sql.lit(name)})::uuid`;

export async function seedLists(
  db: Db,
  { messages, now, service, keys }: Seed & { service: string; keys: Keys },
  progress: Progress,
): Promise<void> {
  await db.connection().execute(async (connection) => {
    for (const change of ['statement_timeout = 0', 'synchronous_commit = off', "work_mem = '128MB'"]) {
      await sql`set ${sql.raw(change)}`.execute(connection);
    }
    const today = london.day(now);
    const perDay = Math.ceil(messages / (daysBack + 1));
    for (let back = daysBack; back >= 0; back -= 1) {
      const day = addDays(today, -back);
      await createPartition(connection, partitionOf(london, day));
      progress(`${perDay} messages of ${day} are stored`);
      const start_ms = london.start(day).getTime();
      const end_ms = Math.min(london.start(addDays(day, 1)).getTime() - 1_000, now.getTime());
      await storeDay(connection, { back, perDay, start_ms, end_ms, service, keys });
    }
    await storeFiles(connection, service);
    progress('callbacks, received texts and other lists are stored');
    for (const statement of otherLists({ messages, now, service, keys })) await statement.execute(connection);
    progress('tables are analysed');
    await sql`vacuum analyze`.execute(connection);
    await sql`checkpoint`.execute(connection);
    for (const setting of ['statement_timeout', 'synchronous_commit', 'work_mem']) {
      await sql`reset ${sql.ref(setting)}`.execute(connection);
    }
  });
}

interface Day {
  /** Days before today. */
  back: number;
  perDay: number;
  start_ms: number;
  end_ms: number;
  service: string;
  keys: Keys;
}

/**
 * Every fifth thousand is a file; of the others 45 % are text messages, 54 % email, 1 % letters. Recipients repeat, and so do some
 * references. 94 % were delivered; 2 % are of test keys, 1 % were sent by a person.
 */
async function storeDay(db: Db, { back, perDay, start_ms, end_ms, service, keys }: Day): Promise<void> {
  const isBig = sql`(${sql.lit(back)} = ${sql.lit(daysBack - 1)} and number <= ${sql.lit(bigFile)})`;
  const isRare = sql`(${sql.lit(back)} = ${sql.lit(daysBack)} and number between 1005 and 1007)`;
  await sql`
    insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, api_key_id,
      created_by_id, status, client_reference, recipient, normalised_recipient, personalisation, postage, billable_units, provider,
      created_at, sent_at, updated_at, job_id, job_row_number)
    select (lpad(to_hex(moment), 12, '0') || '70008000' || lpad(to_hex(number), 12, '0'))::uuid, ${service},
      case when is_rare then ${template('rare')} when by_hand then ${template('precompiled')}
        else md5(concat(0, type, case when job_id is null then number % 3 else 0 end))::uuid end, 1, type, key_type,
      case when by_person then null when key_type = 'test' then ${keys.test}::uuid when key_type = 'team' then ${keys.team}::uuid
        else ${keys.normal}::uuid end,
      case when by_person then (select created_by_id from services where id = ${service}) end,
      case when is_rare then ${rare.status}
        when type = 'letter' then (array['delivered', 'sending', 'returned-letter', 'cancelled', 'validation-failed'])[
          case when outcome < 900 then 1 when outcome < 960 then 2 when outcome < 980 then 3 when outcome < 990 then 4 else 5 end]
        when outcome < 940 then 'delivered' when outcome < 960 then 'permanent-failure' when outcome < 975 then 'temporary-failure'
        when outcome < 990 then 'sending' when outcome < 992 then 'created'
        when type = 'sms' and outcome < 995 then 'pending' when type = 'sms' then 'sent' else 'delivered' end,
      case when is_rare then ${rare.reference} when outcome % 10 < 6 then concat('order-', ${sql.lit(back)}, '-', number)
        when outcome % 10 = 6 then concat('campaign-', ${sql.lit(back)}) end,
      case when is_rare then ${rare.recipient} when type = 'sms' then '07700' || lpad(person::text, 6, '0')
        when type = 'email' then concat('Person.', person, '@example.org')
        else concat('Person ', person, chr(10), '1 High Street', chr(10), 'SW1A 1AA') end,
      case when is_rare then ${rare.recipient} when type = 'sms' then '447700' || lpad(person::text, 6, '0')
        when type = 'email' then concat('person.', person, '@example.org') end,
      jsonb_build_object('name', concat('Person ', person)), case type when 'letter' then 'second' end,
      case type when 'email' then 0 else 1 end, case type when 'sms' then 'mmg' when 'email' then 'ses' else 'dvla' end,
      to_timestamp(moment / 1000.0), to_timestamp(moment / 1000.0 + 1), to_timestamp(moment / 1000.0 + 3), job_id, row_number
    from (
      select *, type = 'letter' and job_id is null and hash / 17 % 20 = 0 as by_hand,
        job_id is null and not is_rare and (hash / 13 % 100 = 0 or type = 'letter' and hash / 17 % 20 = 0) as by_person,
        case when job_id is null and not is_rare and hash / 11 % 100 < 2 then 'test'
          when job_id is null and not is_rare and hash / 11 % 100 < 4 then 'team' else 'normal' end as key_type
      from (
        select *, case when is_rare then 'email' when job_id is not null then case when number / 5000 % 2 = 0 or ${isBig} then 'sms' else 'email' end
            when number % 100 < 45 then 'sms' when number % 100 < 99 then 'email' else 'letter' end as type,
          hash % 1000 as outcome, hash / 7 % 300000 as person
        from (
          select number, ${isRare} as is_rare, hashint8(number * 16 + ${sql.lit(back)}) & 2147483647 as hash,
            ${sql.lit(start_ms)}::bigint + number * ${sql.lit(end_ms - start_ms)}::bigint / ${sql.lit(perDay + 1)} as moment,
            case when ${isBig} then md5('big file')::uuid
              when number / 1000 % 5 = 0 then md5(concat('file', ${sql.lit(back)}, number / 1000))::uuid end as job_id,
            case when ${isBig} then number - 1 else number % ${sql.lit(file)} end::integer as row_number
          from generate_series(1::bigint, ${sql.lit(perDay)}) as number
        ) as drawn
      ) as typed
    ) as placed`.execute(db);
}

/** The files that these messages are rows of, as they were uploaded. */
async function storeFiles(db: Db, service: string): Promise<void> {
  await sql`
    insert into jobs (id, service_id, template_id, template_version, notification_type, original_file_name, status, key_type,
      created_by_id, row_count, rows_done, created_at, processing_started, processing_finished)
    select job_id, ${service}, min(template_id::text)::uuid, 1, min(notification_type),
      case when job_id = md5('big file')::uuid then 'big.csv' else concat('file ', min(created_at)::text, '.csv') end,
      'finished all notifications created', 'normal', (select created_by_id from services where id = ${service}),
      count(*), count(*), min(created_at), min(created_at), max(created_at)
    from notifications where service_id = ${service} and job_id is not null group by job_id`.execute(db);
  await sql`
    insert into uploads (id, service_id, state, original_file_name, header, row_count, template_id, template_version, created_at)
    select id, service_id, 'sent', original_file_name, '{"names":["recipient","name"],"width":2}', row_count, template_id, 1, created_at
    from jobs`.execute(db);
  await sql`
    insert into upload_chunks (upload_id, first_row, row_count, cells, expanded_at)
    select job_id, job_row_number / 500 * 500, 500,
      json_agg(json_build_array(recipient, personalisation ->> 'name') order by job_row_number)::text, max(created_at)
    from notifications where service_id = ${service} and job_id is not null group by 1, 2`.execute(db);
  await sql`
    insert into contact_lists (id, service_id, original_file_name, row_count, template_type, created_by_id, created_at)
    select id, service_id, original_file_name, row_count, 'sms', created_by_id, created_at from jobs
    where row_count < ${bigFile} order by id limit 100`.execute(db);
}

/** One statement for each other table, with as many rows as such a service would have. */
function otherLists({ messages, now, service, keys }: Seed & { service: string; keys: Keys }) {
  const numbers = (usual: number) =>
    sql`generate_series(1::bigint, ${sql.lit(Math.ceil((usual * messages) / 2_000_000))}) as number`;
  const at = timestamp(now);
  const own = sql`(select created_by_id from services where id = ${service})`;
  const day = sql`${at}::timestamptz - number % 7 * interval '1 day' - number * interval '100 ms'`;
  /** Ids ascend with the moments. */
  const idAt = (
    moment: ReturnType<typeof sql>,
  ) => sql`(lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0')
    || '70008000' || lpad(to_hex(number), 12, '0'))::uuid`;
  const email = sql`${template('rare')}`;
  return [
    sql`insert into service_callbacks (id, service_id, callback_type, subject_id, url, encrypted_bearer_token, body, status, attempts,
        due_at, attempt_log, created_at, completed_at)
      select id, service_id, 'delivery_status', id, 'https://example.org/callback', 'none', '{"status":"delivered"}',
        case when hashtext(id::text) % 200 = 0 then 'failed' when hashtext(id::text) % 200 = 1 then 'waiting' else 'delivered' end, 1,
        created_at, '[]', created_at, created_at
      from notifications where service_id = ${service} and status = 'delivered'`,
    sql`insert into inbound_sms (id, service_id, notify_number, user_number, content, provider, created_at)
      select ${idAt(day)}, ${service}, '447900900001', '447700' || lpad((number % 50000)::text, 6, '0'), 'Yes, thank you', 'mmg', ${day}
      from ${numbers(200_000)}`,
    sql`insert into inbound_numbers (id, number, provider, service_id, active, created_at)
      values (gen_random_uuid(), '447900900001', 'mmg', ${service}, true, ${at})`,
    sql`insert into returned_letters (notification_id, reference, service_id, template_id, template_version, letter_created_at,
        printed_at, reported_on, created_at)
      select id, id::text, service_id, template_id, 1, created_at, created_at, (${at}::timestamptz)::date - hashtext(id::text) % 4, ${at}
      from notifications where service_id = ${service} and notification_type = 'letter'`,
    sql`insert into complaints (id, notification_id, service_id, complaint_type, created_at)
      select gen_random_uuid(), gen_random_uuid(), ${service}, 'abuse', ${at}::timestamptz - number * interval '5 minutes'
      from ${numbers(100_000)}`,
    sql`insert into unsubscribe_reports (id, service_id, count, earliest_timestamp, latest_timestamp, created_at)
      select md5(concat('report', number))::uuid, ${service}, 20000, ${at}, ${at}, ${at} from generate_series(1, 4) as number`,
    sql`insert into unsubscribe_requests (id, service_id, notification_id, template_id, template_version, email_address, report_id,
        processed, created_at)
      select ${idAt(day)}, ${service}, ${idAt(day)}, ${email}, 1, concat('person.', number, '@example.org'),
        case when number % 5 > 0 then md5(concat('report', number % 5))::uuid end, false, ${day}
      from ${numbers(100_000)}`,
    sql`insert into refused_requests (id, service_id, api_key_id, path, status_code, errors, fields, personalisation_fields, created_at)
      select ${idAt(day)}, ${service}, ${keys.normal}, '/v2/notifications/sms', 400,
        '[{"error":"ValidationError","message":"phone_number is a required property"}]', '{template_id}', '{}', ${day}
      from generate_series(1::bigint, 500) as number`,
    sql`insert into audit_log (id, created_at, actor_type, user_id, claimed_user_id, action, noun, thing_id, service_id, after)
      select ${idAt(day)}, ${day}, case when number % 2 = 0 then 'user' else 'admin_client' end,
        case when number % 2 = 0 then ${own} end, case when number % 2 = 1 then ${own} end,
        (array['update', 'create', 'find', 'delete'])[1 + number % 4],
        case when number = 5 then 'organisation' when number % 3 = 0 then 'template' else 'service' end,
        md5((number % 5000)::text), ${service}, '{"name":"Other"}'
      from ${numbers(200_000)}`,
    sql`insert into suppressed_recipients (id, service_id, email_address, reason, notification_id, created_at)
      select ${idAt(day)}, ${service}, concat('person.', number, '@example.org'), 'hard-bounce', gen_random_uuid(), ${day}
      from ${numbers(100_000)}`,
    sql`insert into sms_opt_outs (id, service_id, user_number, sender, keyword, reason, created_at)
      select ${idAt(day)}, ${service}, '447700' || lpad(number::text, 6, '0'), '447900900001', 'STOP', 'keyword', ${day}
      from ${numbers(100_000)}`,
    sql`insert into channel_plans (id, service_id, name, steps, version, created_by_id, created_at)
      select md5(name)::uuid, ${service}, name, '[]', 1, ${own}, ${at} from unnest(array['plan', 'rare plan']) as name`,
    sql`insert into channel_plan_versions (plan_id, version, steps, created_by_id, created_at)
      select id, 1, steps, created_by_id, created_at from channel_plans`,
    sql`insert into plan_messages (id, service_id, plan_id, plan_version, key_type, reference, status, created_at)
      select ${idAt(day)}, ${service}, md5(case when number % 50000 = 7 then 'rare plan' else 'plan' end)::uuid, 1, 'normal',
        case when number % 50000 = 9 then ${sql.lit(rare.reference)} when number % 3 = 0 then concat('campaign-', number % 7) end,
        case when number % 50000 < 3 then 'cancelled' when number % 100 = 0 then 'failed' when number % 100 = 1 then 'in-progress'
          else 'delivered' end, ${day}
      from ${numbers(200_000)}`,
    sql`insert into plan_steps (message_id, number, channel, template_id, template_version, only_if_missing, state)
      select id, step, (array['email', 'sms'])[step], ${email}, 1, false, 'delivered' from plan_messages, generate_series(1, 2) as step`,
    sql`insert into sandbox_messages (reference, notification_type, recipient, sender, subject, body, times_sent, created_at)
      select id, notification_type, recipient, 'Sender', null, 'none', 1, created_at
      from notifications where service_id = ${service} and notification_type <> 'letter' and hashtext(id::text) % 10 = 0`,
    sql`insert into report_requests (id, service_id, user_id, notification_type, notification_status, status, created_at)
      select md5(concat('request', type, status))::uuid, ${service}, ${own}, type, status, 'stored', ${at}
      from unnest(array['sms', 'email', 'letter']) as type cross join unnest(array['all', 'sending', 'delivered', 'failed']) as status`,
    sql`insert into events (id, event_type, data, created_at)
      select gen_random_uuid(), 'sucessful_login', '{}', ${day} from ${numbers(50_000)}`,
    sql`insert into users (id, name, email_address, password_hash, state, mobile_number, email_access_validated_at,
        password_changed_at, created_at)
      select gen_random_uuid(), concat('Person ', number), concat('user', number, '@example.org'), 'none', 'active', '07700900000',
        ${at}, ${at}, ${at} from ${numbers(5_000)}`,
  ];
}
