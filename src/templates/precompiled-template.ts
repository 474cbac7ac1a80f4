import { timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import { platformUserId } from '../users/account-messages/account-messages.ts';
import { precompiledName } from './template-record.ts';
import type { CurrentTemplateRow } from './template-row.ts';
import { selectPrecompiledTemplate } from './template-rows.sql.ts';
import { insertPrecompiledTemplate } from './templates.sql.ts';

/** The hidden template of letters supplied as PDF; the service must exist. */
export async function getOrCreatePrecompiledTemplate(
  db: Db | Tx,
  serviceId: string,
  now: Date,
): Promise<CurrentTemplateRow> {
  const existing = await selectPrecompiledTemplate(db, serviceId);
  if (existing) return existing;
  await insertPrecompiledTemplate(db, {
    id: newId(now),
    service_id: serviceId,
    name: precompiledName,
    created_by_id: platformUserId,
    created_at: timestamp(now),
  });
  const made = await selectPrecompiledTemplate(db, serviceId);
  if (!made) throw notFound();
  return made;
}
