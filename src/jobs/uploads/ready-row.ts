/** The values of a row that its notification needs. */
export interface ReadyRow {
  recipient: string;
  /** Null for letters. */
  normalised_recipient: string | null;
  international: boolean;
  rate_multiplier: number;
  /** Null unless it is a letter. */
  postage: string | null;
  /** Values by the template's spelling of their names; a letter has its address lines, too. */
  personalisation: Record<string, string | string[]>;
  /** The value of a column `reference`. */
  client_reference: string | null;
  /** Counts towards the international limit. */
  abroad: boolean;
  /** The language of its text. Omitted for the template's own. */
  language?: string;
  /** The time zone of the recipient, if the file has it. */
  time_zone?: string;
}

type StoredRow = Pick<ReadyRow, 'recipient'> & Partial<ReadyRow>;

/** Writes an item of the list in `upload_chunks.messages`: null for a row with a problem. Omits default values. */
export function writeReadyRow(row: ReadyRow | null): string {
  return JSON.stringify(row && withoutDefaults(row));
}

/** Parses one row at a time, so that each can be collected before the next one is parsed. */
export function* readReadyRows(text: string): Generator<ReadyRow | null> {
  const rows: (StoredRow | null)[] = JSON.parse(text);
  for (const row of rows) yield row && withDefaults(row);
}

// These two run for every row of a file: field by field they take a fifth of the time that spreading objects takes.

function withDefaults(row: StoredRow): ReadyRow {
  const { recipient, normalised_recipient } = row;
  const ready: ReadyRow = {
    recipient,
    normalised_recipient: normalised_recipient === undefined ? recipient : normalised_recipient,
    international: row.international ?? false,
    rate_multiplier: row.rate_multiplier ?? 1,
    postage: row.postage ?? null,
    personalisation: row.personalisation ?? {},
    client_reference: row.client_reference ?? null,
    abroad: row.abroad ?? false,
  };
  if (row.language !== undefined) ready.language = row.language;
  if (row.time_zone !== undefined) ready.time_zone = row.time_zone;
  return ready;
}

function withoutDefaults(row: ReadyRow): StoredRow {
  const stored: StoredRow = { recipient: row.recipient };
  if (row.normalised_recipient !== row.recipient) stored.normalised_recipient = row.normalised_recipient;
  if (Object.keys(row.personalisation).length > 0) stored.personalisation = row.personalisation;
  if (row.international) stored.international = true;
  if (row.rate_multiplier !== 1) stored.rate_multiplier = row.rate_multiplier;
  if (row.postage !== null) stored.postage = row.postage;
  if (row.client_reference !== null) stored.client_reference = row.client_reference;
  if (row.abroad) stored.abroad = true;
  if (row.language !== undefined) stored.language = row.language;
  if (row.time_zone !== undefined) stored.time_zone = row.time_zone;
  return stored;
}
