import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { forgetFailures } from './attempts/attempts.sql.ts';
import type { Status } from './notification.ts';

/** Returns the last id of the next batch; undefined at the end of the table. */
export async function selectEndOfBatch(db: Db, after: string, size: number): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from (select id from notifications where id > ${after} order by id limit ${size}) as batch
    order by id desc limit 1`.execute(db);
  return rows[0]?.id;
}

export interface OfRecipient {
  recipient: string;
  /** Undefined: of all services. */
  serviceId: string | undefined;
}

const isTheirs = ({ recipient, serviceId }: OfRecipient) => sql`
  (n.normalised_recipient = ${recipient} or n.normalised_recipient is null and n.recipient = ${recipient})
  and (${serviceId ?? null}::uuid is null or n.service_id = ${serviceId ?? null}::uuid)`;

export async function selectMessagesBetween(
  db: Db,
  { after, until }: { after: string; until: string },
  of: OfRecipient,
): Promise<{ id: string; service_id: string }[]> {
  const { rows } = await sql<{ id: string; service_id: string }>`
    select n.id, n.service_id from notifications n where n.id > ${after} and n.id <= ${until} and ${isTheirs(of)}
    order by n.id`.execute(db);
  return rows;
}

/** Erases within one batch. `left` counts messages to the recipient that are not in a final state. */
export async function eraseMessagesBetween(
  db: Db,
  { after, until }: { after: string; until: string },
  { recipient, serviceId, final, erased }: OfRecipient & { final: readonly Status[]; erased: string },
): Promise<{ erased: string[]; left: number }> {
  const { rows } = await sql<{ id: string; is_erased: boolean }>`
    with found as (
      select n.id, n.status = any (${[...final]}::text[])
        and not exists (select from delivery_queue q where q.notification_id = n.id) as is_final
      from notifications n
      where n.id > ${after} and n.id <= ${until}
        and ${isTheirs({ recipient, serviceId })}
    ), erased as (
      update notifications n set recipient = ${erased}, normalised_recipient = null, personalisation = '{}',
        secret_personalisation = null, client_reference = null, one_click_unsubscribe_url = null
      from found where n.id = found.id and found.is_final and n.id > ${after} and n.id <= ${until}
      returning n.id
    ), ${forgetFailures}
    select found.id, erased.id is not null as is_erased from found left join erased using (id)`.execute(db);
  return {
    erased: rows.filter(({ is_erased }) => is_erased).map(({ id }) => id),
    left: rows.filter(({ is_erased }) => !is_erased).length,
  };
}
