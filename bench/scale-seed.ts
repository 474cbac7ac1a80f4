import { sql } from 'kysely';
import { addDays, Calendar } from '../src/countries/calendar.ts';
import { createPartition } from '../src/notifications/partitions.sql.ts';
import { partitionOf } from '../src/notifications/partitions.ts';
import { timestamp } from '../src/platform/clock.ts';
import type { Db } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/id.ts';
import type { Progress } from './measurement.ts';
import { seedServices } from './statistics-seed.ts';

const london = new Calendar('Europe/London');

/** Messages of yesterday and eight days before: the oldest day is due to be deleted. */
const daysBack = 9;

interface Seed {
  messages: number;
  services: number;
  now: Date;
}

/**
 * Messages in their partitions, evenly over nine days: 45 % text messages, 54 % email, 1 % letters. One in a thousand has no
 * receipt. Of the first service all are kept for a month.
 */
export async function seedMessages(db: Db, seed: Seed, progress: Progress): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection);
    await sql`set synchronous_commit = off`.execute(connection);
    const { services } = await seedServices(connection, { ...seed, days: daysBack });
    const today = london.day(seed.now);
    const perDay = Math.ceil(seed.messages / daysBack);
    for (let back = daysBack; back >= 1; back -= 1) {
      const day = addDays(today, -back);
      await createPartition(connection, partitionOf(london, day));
      progress(`${perDay} messages of ${day} are stored`);
      await storeDay(connection, day, perDay, services);
    }
    const created_at = timestamp(seed.now);
    await connection
      .insertInto('service_data_retention')
      .values({
        id: newId(seed.now),
        service_id: services[0] ?? '',
        notification_type: 'sms',
        days_of_retention: 30,
        created_at,
      })
      .execute();
    await sql`vacuum analyze notifications`.execute(connection);
    for (const setting of ['statement_timeout', 'synchronous_commit']) {
      await sql`reset ${sql.ref(setting)}`.execute(connection);
    }
  });
}

async function storeDay(db: Db, day: string, messages: number, services: string[]): Promise<void> {
  const start = london.start(day).getTime();
  await sql`
    insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, api_key_id, status,
      recipient, normalised_recipient, postage, billable_units, provider, created_at, sent_at, updated_at)
    select (lpad(to_hex(moment), 12, '0') || '70008000' || lpad(to_hex(number), 12, '0'))::uuid, service_id,
      md5(concat(service, type, number % 3))::uuid, 1, type, 'normal', service_id,
      case when number % 1000 = 7 and type <> 'letter' then 'sending' else 'delivered' end,
      case type when 'sms' then '07700900123' else 'ada@example.org' end,
      case type when 'sms' then '447700900123' else 'ada@example.org' end,
      case type when 'letter' then 'second' end, case type when 'email' then 0 else 1 end,
      case type when 'sms' then 'mmg' when 'email' then 'ses' else 'dvla' end,
      to_timestamp(moment / 1000.0), to_timestamp(moment / 1000.0) + interval '1 second',
      to_timestamp(moment / 1000.0) + interval '3 seconds'
    from (
      select number, ${sql.lit(start)}::bigint + number * 86000000 / ${sql.lit(messages)} as moment, service,
        (${services}::uuid[])[service + 1] as service_id,
        case when number % 100 < 45 then 'sms' when number % 100 < 99 then 'email' else 'letter' end as type
      from (
        select number, floor(${sql.lit(services.length)} * power(hashint8(number) & 1023, 2) / power(1024, 2))::int as service
        from generate_series(1::bigint, ${sql.lit(messages)}) as number
      ) as drawn
    ) as placed`.execute(db);
}
