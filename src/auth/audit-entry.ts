import { currentActor } from '../platform/db/actor.ts';
import type { Tx } from '../platform/db/database.ts';
import { insertAuditEntry, type NewAuditEntry } from './audit-entry.sql.ts';

export type { NewAuditEntry } from './audit-entry.sql.ts';

export const auditActions = [
  'create',
  'update',
  'delete',
  'find',
  'export',
  'erase',
  'import',
] as const satisfies readonly NewAuditEntry['action'][];

/**
 * Call it in the transaction of the change. It throws if there is no actor, because no change may go unrecorded. Pass `actor` where several
 * requests share a transaction.
 */
export async function recordAuditEntry(tx: Tx, entry: NewAuditEntry, actor = currentActor()): Promise<void> {
  if (actor === undefined) throw new Error('Nobody acts: the audit log needs an actor');
  await insertAuditEntry(tx, entry, actor);
}
