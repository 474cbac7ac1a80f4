import type { Postage } from '../../notifications/notification.ts';

/** What a notification needs of its row in a file. */
export interface ReadyRow {
  recipient: string;
  /** Null for letters. */
  normalised_recipient: string | null;
  international: boolean;
  rate_multiplier: number;
  /** Null unless it is a letter. */
  postage: Postage | null;
  /** By the template's spelling; with the address lines of a letter. */
  personalisation: Record<string, string | string[]>;
  /** Of a column `reference`. */
  client_reference: string | null;
  /** Counts towards the international limit. */
  abroad: boolean;
}

type StoredRow = Pick<ReadyRow, 'recipient'> & Partial<ReadyRow>;

const defaults = { international: false, rate_multiplier: 1, postage: null, client_reference: null, abroad: false };

/** The rows of a chunk as stored in `upload_chunks.messages`, null for each row with a problem. Defaults are left out. */
export function writeReadyRows(rows: readonly (ReadyRow | null)[]): string {
  return JSON.stringify(rows.map((row) => row && withoutDefaults(row)));
}

/** One by one: what was read of a row is garbage before the next one is. */
export function* readReadyRows(text: string): Generator<ReadyRow | null> {
  const rows: (StoredRow | null)[] = JSON.parse(text);
  for (const row of rows) {
    yield row && { ...defaults, normalised_recipient: row.recipient, personalisation: {}, ...row };
  }
}

function withoutDefaults({ recipient, normalised_recipient, personalisation, ...rest }: ReadyRow): StoredRow {
  const row: StoredRow = { recipient };
  if (normalised_recipient !== recipient) row.normalised_recipient = normalised_recipient;
  if (Object.keys(personalisation).length > 0) row.personalisation = personalisation;
  if (rest.international) row.international = true;
  if (rest.rate_multiplier !== 1) row.rate_multiplier = rest.rate_multiplier;
  if (rest.postage !== null) row.postage = rest.postage;
  if (rest.client_reference !== null) row.client_reference = rest.client_reference;
  if (rest.abroad) row.abroad = true;
  return row;
}
