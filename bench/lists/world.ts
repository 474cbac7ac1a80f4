import { sql } from 'kysely';
import type { App } from '../../src/app.ts';
import { createApiKey } from '../../src/auth/api-keys.ts';
import { addDays, Calendar } from '../../src/countries/calendar.ts';
import { foldRollups, reconcileRollups } from '../../src/notifications/rollups/rollups.ts';
import type { Progress } from '../measurement.ts';
import type { World } from './requests.ts';
import { type Keys, seedAccounts, seedLists } from './seed.ts';

const london = new Calendar('Europe/London');

/** A kept database has all of it already. */
export async function seedOnce(app: App, messages: number, progress: Progress): Promise<void> {
  const db = app.apart.tasks.db;
  const seeded = await db.selectFrom('services').select('id').where('name', '=', 'Service 0').executeTakeFirst();
  if (seeded) return;
  const now = app.clock.now();
  const service = await seedAccounts(db, { messages, now });
  const keys: Partial<Keys> = {};
  for (const key_type of ['normal', 'team', 'test'] as const) {
    await createApiKey(app, service, { name: key_type, key_type, created_by: await ownerOf(app, service) });
    const key = db
      .selectFrom('api_keys')
      .select('id')
      .where('service_id', '=', service)
      .where('key_type', '=', key_type);
    keys[key_type] = (await key.executeTakeFirstOrThrow()).id;
  }
  await seedLists(db, { messages, now, service, keys: keys as Keys }, progress);
  progress('messages are counted');
  await reconcileRollups({ ...app, ...app.apart.tasks }, () => undefined);
  while ((await foldRollups(db)) > 0);
  await sql`vacuum analyze`.execute(db);
}

export async function ownerOf({ db }: Pick<App, 'db'>, service: string): Promise<string> {
  const found = db.selectFrom('services').select('created_by_id').where('id', '=', service);
  return (await found.executeTakeFirstOrThrow()).created_by_id;
}

/** Ids that paths and filters name. */
export async function worldOf(app: App): Promise<World> {
  const { rows } = await sql<World>`
    with service as (select id, organisation_id, created_by_id from services where name = 'Service 0'),
      messages as (select n.id from notifications n, service where n.service_id = service.id)
    select service.id as service_id, organisation_id, created_by_id as user_id, created_by_id as person_id, md5('rare')::uuid as template_id,
      md5('big file')::uuid as job_id, md5('big file')::uuid as file_id, md5('big file')::uuid as upload_id,
      (select min(id::text) from messages) as oldest_id,
      (select id from messages order by id desc offset 20000 limit 1) as newer_id,
      (select id from notifications n where n.service_id = service.id and notification_type = 'email' and job_id is null
        order by id desc offset 20000 limit 1) as notification_id,
      (select id from contact_lists where service_id = service.id limit 1) as contact_list_id,
      (select id from contact_lists where service_id = service.id limit 1) as list_id,
      (select id from jobs where service_id = service.id order by id desc limit 1) as bulk_id,
      (select id from inbound_sms where service_id = service.id order by id desc offset 100000 limit 1) as inbound_sms_id,
      (select id from refused_requests where service_id = service.id order by id desc offset 100 limit 1) as refused_id,
      (select id from suppressed_recipients where service_id = service.id order by id desc offset 1000 limit 1) as suppressed_id,
      (select id from sms_opt_outs where service_id = service.id order by id desc offset 1000 limit 1) as opt_out_id,
      (select id from plan_messages m where m.service_id = service.id order by id desc offset 1000 limit 1) as plan_message_id,
      md5('plan')::uuid as plan_id, md5('rare plan')::uuid as rare_plan_id,
      (select id from audit_log order by created_at desc offset 1000 limit 1) as audit_id,
      (select id from audit_log order by created_at desc offset 1000 limit 1) as entry_id, md5('17') as thing_id,
      md5('report1')::uuid as batch_id, md5('requestsmsall')::uuid as report_request_id, md5('requestsmsall')::uuid as report_id
    from service`.execute(app.db);
  const ids = rows[0] ?? {};
  const today = london.day(app.clock.now());
  const [message = '', text = '', suppressed = '', audit = ''] = [
    ids.newer_id,
    ids.inbound_sms_id,
    ids.suppressed_id,
    ids.audit_id,
  ];
  return {
    ...ids,
    ...{
      id: ids.template_id ?? '',
      version: '1',
      notification_type: 'sms',
      today,
      first_day: addDays(today, -6),
      day: today,
    },
    ...{ letter_print_date: today, message_id: ids.notification_id ?? '', received_id: text, report: 'daily-volumes' },
    'older_than /service/{service_id}/notifications': message,
    'older_than /service/{service_id}/notifications/csv': message,
    'older_than /v2/notifications': message,
    'older_than /v2/messages': ids.plan_message_id ?? '',
    'older_than /service/{service_id}/callbacks': message,
    'older_than /service/{service_id}/refused-requests': ids.refused_id ?? '',
    'older_than /service/{service_id}/suppression-list': suppressed,
    'older_than /v2/suppressed-recipients': suppressed,
    'older_than /v2/opted-out-numbers': ids.opt_out_id ?? '',
    'older_than /v2/received-text-messages': text,
    'older_than /v2/notifications/bulk': ids.bulk_id ?? '',
    'older_than /v2/reports': ids.report_request_id ?? '',
    'older_than /platform-admin/audit-log': audit,
  };
}
