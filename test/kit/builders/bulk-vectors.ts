import type { FileErrorKind } from '../../../src/libraries/spreadsheet/spreadsheet-error.ts';
import type { Channel } from '../../../src/protocol/channels.ts';
import { casesOf } from '../vectors.ts';

export interface Cell {
  value: string | (string | null)[] | null;
  error?: string;
  unused?: true;
}

export interface ExpectedRow {
  index: number;
  recipient: string | null | (string | null)[];
  cells: Record<string, Cell>;
  surplus?: string[];
  personalisation: Record<string, Cell['value']>;
  client_reference?: string | null;
  flags: string[];
  address?: { lines: string[]; valid: boolean; problem: string | null; zone: string; international: boolean };
}

export interface RecipientsCase {
  id: string;
  kind: string;
  about: string;
  quirk?: boolean;
  template_type: Channel;
  content: string;
  subject?: string;
  csv?: string;
  csv_parts?: [string, number][];
  options?: Record<string, unknown>;
  expected: {
    column_headers: string[] | null;
    has_recipient_columns: boolean;
    missing_column_headers: string[];
    duplicate_recipient_column_headers: string[];
    row_count: number;
    international_sms_count: number;
    allowed_to_send_to: boolean;
    row_error_counts: Record<string, number>;
    rows_with_errors: number[];
    displayed_rows: (number | null)[];
    first_problem: string | null;
    has_errors: boolean;
    rows?: (ExpectedRow | null)[];
    rows_sample?: ExpectedRow[];
  };
}

export interface FileCase {
  id: string;
  kind: string;
  about: string;
  quirk?: boolean;
  filename: string;
  bytes_base64: string;
  limits?: { row_limit: number };
  expected: { can_handle: boolean; csv?: string; raises?: string };
}

export interface ListCase {
  id: string;
  kind: string;
  about: string;
  quirk?: boolean;
  csv: string;
  expected: { template_type: string | null; row_count: number; problem: string | null };
}

/** Cases that this product answers differently on purpose. */
const decidedOtherwise = new Set([
  // A separator line, as Excel writes it, names the separator.
  'bulk-206',
  // QR codes hold 500 characters, not 504 bytes.
  'bulk-329',
  // UTF-16 with a mark and Windows-1252 are read.
  'bulk-file-006',
  'bulk-file-008',
  'bulk-file-009',
  // Files of type xls are refused.
  'bulk-file-068',
  'bulk-file-070',
]);

const cases = casesOf<{ kind: string; id: string; quirk?: boolean }>('bulk/bulk-vectors.json');

/** The examples of a kind that this product follows. */
export function vectorsOfKind(kind: 'recipients'): RecipientsCase[];
export function vectorsOfKind(kind: 'file'): FileCase[];
export function vectorsOfKind(kind: 'contact-list'): ListCase[];
export function vectorsOfKind(kind: string): unknown[] {
  return cases.filter((one) => one.kind === kind && !one.quirk && !decidedOtherwise.has(one.id));
}

export function textOfCase({ csv, csv_parts }: RecipientsCase): string {
  return csv ?? csv_parts?.map(([part, times]) => part.repeat(times)).join('') ?? '';
}

/** Nulls are dropped from a list, and a list of one value is that value. */
export function withoutNulls(value: Cell['value']): Cell['value'] {
  if (!Array.isArray(value)) return value;
  const left = value.filter((item) => item !== null);
  return left.length > 1 ? left : (left[0] ?? null);
}

/** Why a file cannot be read, by the error of the examples. */
export const kindOfError = new Map<string, FileErrorKind>([
  ['UnicodeDecodeError', 'not-text'],
  ['BadZipFile', 'unreadable'],
  ['TooManyColumnsError', 'too-many-columns'],
  ['TooManyRowsError', 'too-many-rows'],
]);

/** Dates without time, and booleans as the sheet shows them. */
export function csvAsShown(filename: string, csv: string): string {
  if (!/\.(xlsx|ods)$/.test(filename)) return csv;
  return csv.replace(/ 00:00:00/g, '').replace(/\b(True|False)\b/g, (word) => word.toUpperCase());
}
