import type { Country } from '../../countries/country.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { RowWriter } from '../../platform/db/row-writer.ts';
import type { NotificationRow } from '../notification-row.ts';
import { type HeldRow, insertHeld } from '../windows/held-messages.sql.ts';
import { recordDocumentCount, storeUnlimited, updateSecretValues } from './notifications.sql.ts';

/** Links of one email to its files. */
export interface RowFiles {
  id: string;
  /** Encrypted. */
  secret_values: string;
  count: number;
  record(tx: Tx): Promise<void>;
}

/** A longer statement would keep a processor busy for too long while requests wait. */
const rowsPerStatement = 100;

interface RowsToStore {
  rows: NotificationRow[];
  files: RowFiles[];
  /** Rows that wait for a sending time. */
  held: HeldRow[];
  /** The writer that serialised the rows. */
  writer: RowWriter;
}

/** Stores many notifications that are already counted in the daily limits. Rests after each statement, depending on how long it took. */
export async function storeRows(
  country: Country,
  tx: Tx,
  { rows, files, held, writer }: RowsToStore,
  rest: (took_ms: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const began = performance.now();
    await storeUnlimited(country, tx, rows.slice(from, from + rowsPerStatement), writer);
    await rest(performance.now() - began);
  }
  if (held.length > 0) await insertHeld(tx, held);
  for (const { id, secret_values, count, record } of files) {
    await record(tx);
    await updateSecretValues(tx, id, secret_values);
    await recordDocumentCount(tx, id, count);
  }
}
