import type { SpreadsheetLimits } from '../../libraries/spreadsheet/sheet.ts';

/** More rows are read than can be sent, so that the check can count them. */
export const defaultLimits: SpreadsheetLimits = {
  textBytes: 100 * 1024 * 1024,
  packedBytes: 10 * 1024 * 1024,
  unpackedBytes: 200 * 1024 * 1024,
  rows: 200_000,
  // Far more than can be sent.
  textRows: 1_000_000,
  columns: 1_000,
  // More than any spreadsheet program writes.
  textColumns: 20_000,
  rowCharacters: 1_000_000,
};
