import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { newId } from '../src/platform/id.ts';
import { SecretBox } from '../src/platform/secrets/secrets.ts';
import type { Sender } from './sender.ts';

/** Tables with rows of a service, and which of their columns are other in each copy. */
const copied: Record<string, string> = {
  users: `'id', t.user_id, 'email_address', concat('tenant-', t.number, '@example.org')`,
  services: `'id', t.service_id, 'name', concat('Tenant ', t.number), 'normalised_name', concat('tenant.', t.number),
    'email_sender_local_part', concat('tenant.', t.number), 'created_by_id', t.user_id,
    'rate_limit', 3000, 'sms_message_limit', 250000`,
  services_history: `'id', t.service_id, 'created_by_id', t.user_id`,
  service_members: `'service_id', t.service_id, 'user_id', t.user_id`,
  service_sms_senders: `'id', gen_random_uuid(), 'service_id', t.service_id`,
  annual_allowances: `'service_id', t.service_id`,
  templates: `'id', t.template_id, 'service_id', t.service_id`,
  templates_history: `'id', t.template_id, 'service_id', t.service_id`,
  api_keys: `'id', t.key_id, 'service_id', t.service_id, 'encrypted_secret', t.encrypted_secret`,
  api_keys_history: `'id', t.key_id, 'service_id', t.service_id`,
};

const ofModel = (table: string) => {
  if (table === 'users') return 'row.id = (select created_by_id from services where id = $2)';
  return `row.${/^services(_history)?$/.test(table) ? 'id' : 'service_id'} = $2`;
};

/**
 * Copies a service with its member, template and API key, in one statement for each table: a service for every number, with a
 * secret of its own and the limits that a service has by default. Triggers do not run: nobody needs to know of 20,000 new services, nor an audit log of them.
 */
export async function copyService(
  database: pg.Client,
  model: Sender,
  { copies, secretKey }: { copies: number; secretKey: string },
): Promise<Sender[]> {
  const secrets = new SecretBox([secretKey]);
  const now = new Date();
  const tenants = Array.from({ length: copies }, (_, number) => {
    const key = { id: newId(now), service_id: newId(now) };
    const secret = randomUUID();
    return {
      ...{ number, service_id: key.service_id, user_id: newId(now), template_id: newId(now), key_id: key.id, secret },
      encrypted_secret: secrets.encrypt('api-key', secret, `${key.service_id} ${key.id}`),
    };
  });
  const rows = JSON.stringify(tenants);
  await database.query('begin');
  await database.query('set local session_replication_role = replica');
  for (const [table, changes] of Object.entries(copied)) {
    await database.query(
      `insert into ${table}
      select copy.* from ${table} as row
      cross join json_to_recordset($1::json)
        as t (number int, service_id uuid, user_id uuid, template_id uuid, key_id uuid, encrypted_secret text)
      cross join lateral jsonb_populate_record(row, jsonb_build_object(${changes})) as copy
      where ${ofModel(table)}`,
      [rows, model.service_id],
    );
  }
  await database.query('commit');
  for (const table of Object.keys(copied)) await database.query(`vacuum analyze ${table}`);
  return tenants.map(({ service_id, secret, template_id }) => {
    return { service_id, secret, template_id, key: `load-${service_id}-${secret}` };
  });
}
