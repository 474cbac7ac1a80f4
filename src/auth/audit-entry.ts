import { currentActor } from '../platform/db/actor.ts';
import type { Tx } from '../platform/db/database.ts';
import { insertAuditEntry } from './audit-entry.sql.ts';

export const auditActions = ['create', 'update', 'delete', 'find', 'export', 'erase'] as const;

/** What no trigger records. It names neither recipients nor values of messages. */
export interface NewAuditEntry {
  action: (typeof auditActions)[number];
  noun: string;
  thing_id: string;
  service_id?: string | undefined;
  before?: object;
  after?: object;
}

/**
 * In the transaction of the change. A change without an entry must not happen, so it fails where nobody acts. `actor` says who
 * acts where requests share the transaction.
 */
export async function recordAuditEntry(tx: Tx, entry: NewAuditEntry, actor = currentActor()): Promise<void> {
  if (actor === undefined) throw new Error('Nobody acts: the audit log needs an actor');
  await insertAuditEntry(tx, entry, actor);
}
