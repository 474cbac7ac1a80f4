import type { TextEncoding } from './text-decoding.ts';

/** The first record of a file, which names the columns. */
export interface Header {
  /** Spelled as in the file; columns at the end without a name are left out. */
  names: readonly string[];
  /** Number of columns, those included. */
  width: number;
}

/** A list is the value of a column of its own. Only NDJSON has lists; in other files repeated columns make them. */
export type SheetCell = string | readonly string[];

export interface RowBatch {
  /** Index of the first row, from 0; the header is not counted. */
  firstRow: number;
  /** Cells as in the file, without the empty ones at the end of a row. */
  rows: SheetCell[][];
}

/** A spreadsheet while it is read. */
export interface Sheet {
  header: Header;
  /** Reads the file; nothing is kept. */
  batches: AsyncIterable<RowBatch>;
  /** Null for workbooks. Final after the last batch. */
  encoding(): TextEncoding | null;
}

export interface SpreadsheetLimits {
  /** The size of a csv or tsv file. */
  textBytes: number;
  /** The size of a workbook. */
  packedBytes: number;
  /** All parts of a workbook that were read. */
  unpackedBytes: number;
  /** Rows of tsv files and workbooks. */
  rows: number;
  /** Rows of csv files. */
  textRows: number;
  /** Position of the last column with a name, in workbooks. */
  columns: number;
  /** The same in csv and tsv. */
  textColumns: number;
  /** Also bounds a cell, and the text after a quotation mark that is never closed. */
  rowCharacters: number;
}

export const megabytes = (bytes: number) => Math.floor(bytes / (1024 * 1024));
