import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { type ReadyRow, writeReadyRow } from '../../../src/jobs/uploads/ready-row.ts';
import { timestamp } from '../../../src/platform/clock.ts';
import type { DB } from '../../../src/platform/db/schema.ts';
import type { FileSummary } from '../../../src/recipients/spreadsheet/file-problems.ts';
import type { Harness } from '../harness.ts';

/** The values of a row that a test sets; null for a row with a problem. */
type Row = (Partial<ReadyRow> & { recipient: string }) | null;

export function smsRows(count: number, first = 0): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const number = `7700900${String((first + index) % 1000).padStart(3, '0')}`;
    return { recipient: `0${number}`, normalised_recipient: `44${number}`, personalisation: { name: `N${index}` } };
  });
}

export function emailRows(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => ({
    recipient: `r${index}@example.com`,
    personalisation: { name: `N${index}`, thing: 'it' },
  }));
}

export function letterRows(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => ({
    recipient: `Ada ${index}\n1 High Street\nLondon\nSW1A 1AA`,
    normalised_recipient: null,
    postage: 'second' as const,
    personalisation: {
      address_line_1: `Ada ${index}`,
      address_line_2: '1 High Street',
      address_line_3: 'London',
      address_line_4: 'SW1A 1AA',
      name: `N${index}`,
      thing: 'it',
    },
  }));
}

/** Creates a checked upload with stored rows, as if a file was uploaded. */
export async function aCheckedUpload(
  { app, clock }: Pick<Harness, 'app' | 'clock'>,
  service_id: string,
  template_id: string,
  rows: Row[],
  fields: Partial<Insertable<DB['uploads']>> & { chunkSize?: number } = {},
): Promise<string> {
  const { chunkSize = 500, ...columns } = fields;
  const id = randomUUID();
  await app.db
    .insertInto('uploads')
    .values({
      id,
      service_id,
      state: 'checked',
      original_file_name: 'people.csv',
      header: JSON.stringify({ names: ['recipient', 'name'], width: 2 }),
      row_count: rows.length,
      template_id,
      template_version: 1,
      summary: JSON.stringify(summaryOf(rows)),
      created_at: timestamp(clock.now()),
      ...columns,
    })
    .execute();
  for (let first_row = 0; first_row < rows.length; first_row += chunkSize) {
    const chunk = rows
      .slice(first_row, first_row + chunkSize)
      .map((row) => row && { ...defaults, normalised_recipient: row.recipient, ...row });
    await app.db
      .insertInto('upload_chunks')
      .values({
        upload_id: id,
        first_row,
        row_count: chunk.length,
        cells: JSON.stringify(chunk.map((row) => [row?.recipient ?? '', ''])),
        messages: `[${chunk.map(writeReadyRow).join(',')}]`,
        problem_count: chunk.filter((row) => row === null).length,
        abroad_count: chunk.filter((row) => row?.abroad).length,
        part_count: chunk.filter((row) => row !== null).length,
      })
      .execute();
  }
  return id;
}

function summaryOf(rows: Row[]): FileSummary {
  return {
    channel: 'sms',
    row_count: rows.length,
    max_rows: 100_000,
    has_recipient_columns: true,
    missing_columns: [],
    duplicate_columns: [],
    row_problem_counts: {},
    rows_with_problems: rows.filter((row) => row === null).length,
    international_count: rows.filter((row) => row?.abroad).length,
    part_count: rows.filter((row) => row !== null).length,
    not_allowed_count: 0,
    notes: { not_allowed: [], only_not_allowed_count: 0, lossy: [], lossy_count: 0, unclear: [], unclear_count: 0 },
    rows_shown: [],
  };
}

const defaults = {
  international: false,
  rate_multiplier: 1,
  postage: null,
  personalisation: {},
  client_reference: null,
  abroad: false,
};
