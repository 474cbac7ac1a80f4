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

/** A longer statement would keep a processor from requests for too long. */
const rowsPerStatement = 100;

interface RowsToStore {
  rows: NotificationRow[];
  files: RowFiles[];
  /** Those that wait for a sending time. */
  held: HeldRow[];
  /** What wrote the rows. */
  writer: RowWriter;
}

/**
 * Stores many notifications whose share of the daily limits is already counted. Rests after each statement, which took so many
 * milliseconds.
 */
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
