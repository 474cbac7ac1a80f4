import type { Tx } from '../../platform/db/database.ts';
import type { NewNotification } from '../notification.ts';
import {
  isStorable,
  type NotificationRow,
  recordDocumentCount,
  rowOf,
  storeNotifications,
} from './notifications.sql.ts';
import { updateSecretValues } from './secret-values.sql.ts';

export type { NotificationRow } from './notifications.sql.ts';

/** Links of one email to its files. */
export interface RowFiles {
  id: string;
  /** Encrypted. */
  secret_values: string;
  count: number;
  record(tx: Tx): Promise<void>;
}

/** Serializes a notification for `storeRows`; undefined if the database cannot store its text. */
export function storableRow(notification: NewNotification): NotificationRow | undefined {
  const row = rowOf(notification);
  return isStorable(row) ? row : undefined;
}

/** Stores many notifications whose share of the daily limits is already counted. */
export async function storeRows(tx: Tx, rows: NotificationRow[], files: RowFiles[]): Promise<void> {
  if (rows.length === 0) return;
  await storeNotifications(
    tx,
    rows.map((row) => ({ row })),
    [],
  );
  for (const { id, secret_values, count, record } of files) {
    await record(tx);
    await updateSecretValues(tx, id, secret_values);
    await recordDocumentCount(tx, id, count);
  }
}
