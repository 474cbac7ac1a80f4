import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { Statement } from '../../platform/db/statement.ts';
import { comparablePart, type RecipientSearch, type RecipientToFind } from '../../recipients/recipient.ts';
import { forgetFailures } from '../attempts/attempts.sql.ts';
import type { Status } from '../notification.ts';
import type { Range } from '../partitions.sql.ts';

/** For a postal address, the database compares only one part; the caller compares the rest. */
function isOfRecipient(who: RecipientToFind): RawBuilder<unknown> {
  if ('contact' in who) {
    const { contact } = who;
    return sql`(n.normalised_recipient = ${contact} or n.normalised_recipient is null and n.recipient = ${contact})`;
  }
  const part = comparablePart(who.address);
  // Letters have a separate index.
  return sql`n.notification_type = 'letter' and position(${part} in regexp_replace(lower(n.recipient), '[^a-z0-9]', '', 'g')) > 0`;
}

interface FoundMessage {
  id: string;
  service_id: string;
  recipient: string;
}

export async function selectMessagesWithin(
  db: Db,
  { from_id, to_id }: Range,
  { who, serviceId }: RecipientSearch,
): Promise<FoundMessage[]> {
  const { rows } = await sql<FoundMessage>`
    select n.id, n.service_id, n.recipient from notifications n
    where n.id >= ${from_id} and n.id < ${to_id} and ${isOfRecipient(who)}
      and (${serviceId ?? null}::uuid is null or n.service_id = ${serviceId ?? null}::uuid)
    order by n.id`.execute(db);
  return rows;
}

/** Returns the ids of the erased messages. The others are not in a final status. */
export async function eraseMessagesById(
  db: Db,
  ids: string[],
  { final, erasedRecipient }: { final: readonly Status[]; erasedRecipient: string },
): Promise<string[]> {
  const statement = new Statement();
  const found = statement.with(
    'found',
    sql`select n.id from notifications n
      where n.id = any (${ids}::uuid[]) and n.status = any (${[...final]}::text[])
        and not exists (select from delivery_queue q where q.notification_id = n.id)`,
  );
  const erased = statement.with<'id'>(
    'erased',
    sql`update notifications n set recipient = ${erasedRecipient}, normalised_recipient = null, personalisation = '{}',
        secret_personalisation = null, client_reference = null, one_click_unsubscribe_url = null
      from ${found} where n.id = ${found}.id and n.id = any (${ids}::uuid[])
      returning n.id`,
  );
  forgetFailures(statement, erased);
  const { rows } = await statement.ending<{ id: string }>(sql`select id from ${erased}`).execute(db);
  return rows.map(({ id }) => id);
}
