export interface SpreadsheetLimits {
  /** Of csv and tsv. */
  textBytes: number;
  /** Of workbooks. */
  packedBytes: number;
  unpackedBytes: number;
  /** Of tsv and workbooks. How many rows can be sent is a rule of the check. */
  rows: number;
  /** Of csv: far more than can be sent, so that such files are read and their rows counted. */
  textRows: number;
  /** Position of the last column with a name, in workbooks. */
  columns: number;
  /** The same in csv and tsv: more than any spreadsheet program writes. */
  textColumns: number;
  /** Also bounds a cell, and the text after a quotation mark that is never closed. */
  rowCharacters: number;
}

export const defaultLimits: SpreadsheetLimits = {
  textBytes: 100 * 1024 * 1024,
  packedBytes: 10 * 1024 * 1024,
  unpackedBytes: 200 * 1024 * 1024,
  rows: 200_000,
  textRows: 1_000_000,
  columns: 1_000,
  textColumns: 20_000,
  rowCharacters: 1_000_000,
};

export const megabytes = (bytes: number) => Math.floor(bytes / (1024 * 1024));
