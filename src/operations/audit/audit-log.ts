import { earlier, timestamp } from '../../platform/clock.ts';
import { invalidField } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RetentionSettings } from '../settings.ts';
import type { AuditFilter } from './audit-entry.ts';
import { deleteAuditEntries, selectAuditEntries } from './audit-log.sql.ts';

export type AuditEntry = Awaited<ReturnType<typeof selectAuditEntries>>[number];

export async function findAuditEntry(app: Platform, id: string): Promise<AuditEntry | undefined> {
  const [entry] = await selectAuditEntries(app.db, { id }, 1);
  return entry;
}

/** Lists entries, newest first. `olderThan` is the id of the last entry of the previous page. */
export async function listAuditEntries(
  app: Platform,
  filter: Omit<AuditFilter, 'older_than'>,
  { limit, olderThan }: { limit: number; olderThan?: string | undefined },
): Promise<AuditEntry[]> {
  const last = olderThan === undefined ? undefined : await findAuditEntry(app, olderThan);
  if (olderThan !== undefined && !last) throw invalidField('older_than', 'No entry has this id.');
  return selectAuditEntries(app.db, { ...filter, older_than: last }, limit);
}

const exported = 500;

/** Reads entries in batches, so that the memory of an export does not depend on its length. */
export async function* readAuditEntries(app: Platform, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
  let older_than: AuditFilter['older_than'];
  while (true) {
    const entries = await selectAuditEntries(app.db, { ...filter, older_than }, exported);
    if (entries.length > 0) yield entries;
    older_than = entries.at(-1);
    if (entries.length < exported) return;
  }
}

const batch = 2_000;

export async function deleteOldAuditEntries(app: Platform & { config: { storage: RetentionSettings } }): Promise<void> {
  const before = timestamp(earlier(app.clock.now(), app.config.storage.auditRetention_ms));
  while ((await deleteAuditEntries(app.db, before, batch)) === batch);
}
