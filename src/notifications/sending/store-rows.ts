import type { Tx } from '../../platform/db/database.ts';
import type { NotificationRow } from '../notification-row.ts';
import { recordDocumentCount, storeNotifications } from './notifications.sql.ts';
import { updateSecretValues } from './secret-values.sql.ts';

/** Links of one email to its files. */
export interface RowFiles {
  id: string;
  /** Encrypted. */
  secret_values: string;
  count: number;
  record(tx: Tx): Promise<void>;
}

/** Stores many notifications whose share of the daily limits is already counted. */
export async function storeRows(tx: Tx, rows: NotificationRow[], files: RowFiles[]): Promise<void> {
  if (rows.length === 0) return;
  await storeNotifications(tx, rows, []);
  for (const { id, secret_values, count, record } of files) {
    await record(tx);
    await updateSecretValues(tx, id, secret_values);
    await recordDocumentCount(tx, id, count);
  }
}
