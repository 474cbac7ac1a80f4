import type { Tx } from '../platform/db/database.ts';
import { selectUnknownIds } from '../platform/db/exists.ts';
import { forbidden, invalidField } from '../platform/failure.ts';
import { canonicalId, nilId } from '../platform/id.ts';
import { recordAuditEntry } from './audit-entry.ts';
import type { AuthSettings } from './settings.ts';

/** Objects from another server can keep their id or secret, so that applications only need a new base URL. */

interface ImportedObject {
  id: string;
  noun: 'service' | 'template' | 'email_reply_to' | 'sms_sender' | 'api_key';
  service_id: string;
}

/** An imported id must not be in use in any of these tables, because people search for an id without its type. */
const tables = [
  ...(['services', 'templates', 'service_email_reply_to', 'service_sms_senders', 'service_letter_contacts'] as const),
  ...(['users', 'organisations', 'api_keys', 'template_folders', 'jobs', 'uploads', 'contact_lists'] as const),
  ...(['email_branding', 'letter_branding', 'inbound_numbers'] as const),
];

export const idInUse = () => invalidField('id', 'Already in use.');

/** Returns the canonical form of the id; throws if it is in use. */
export async function requireUnusedId(tx: Tx, given: string): Promise<string> {
  const id = canonicalId(given);
  const unknown = await selectUnknownIds(
    tx,
    tables.map((table) => ({ field: table, table, id })),
  );
  if (id === nilId || unknown.length < tables.length) throw idInUse();
  return id;
}

/** Adds an `import` entry to the audit log, in addition to the entry of the row itself. */
export async function recordImport(tx: Tx, { noun, id, service_id }: ImportedObject): Promise<void> {
  await recordAuditEntry(tx, { action: 'import', noun, thing_id: id, service_id });
}

export function refuseUnlessKeysAreImported({ auth }: { auth: Pick<AuthSettings, 'importKeys'> }): void {
  if (!auth.importKeys) throw forbidden('Keys cannot be imported here: IMPORT_KEYS is off');
}
