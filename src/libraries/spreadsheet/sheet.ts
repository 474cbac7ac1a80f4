import type { TextEncoding } from './text-decoding.ts';

/** The first record of a file, which names the columns. */
export interface Header {
  /** As spelled in the file, without unnamed columns at the end. */
  names: readonly string[];
  /** The number of columns, including unnamed ones at the end. */
  width: number;
}

/** A list is the value of a single column. Only NDJSON has lists; in other files, repeated columns make them. */
export type SheetCell = string | readonly string[];

export interface RowBatch {
  /** The index of the first row, from 0, not counting the header. */
  firstRow: number;
  /** Cells as in the file, without empty ones at the end of a row. */
  rows: SheetCell[][];
}

/** A spreadsheet that is being read. */
export interface Sheet {
  header: Header;
  /** Streams the file without keeping it. */
  batches: AsyncIterable<RowBatch>;
  /** Null for workbooks. Final after the last batch. */
  encoding(): TextEncoding | null;
}

export interface SpreadsheetLimits {
  /** Max size of a csv or tsv file. */
  textBytes: number;
  /** Max size of a workbook. */
  packedBytes: number;
  /** Max total of all parts of a workbook that are read. */
  unpackedBytes: number;
  /** Max rows of tsv files and workbooks. */
  rows: number;
  /** Max rows of csv files. */
  textRows: number;
  /** Max position of the last named column in workbooks. */
  columns: number;
  /** Max position of the last named column in csv and tsv files. */
  textColumns: number;
  /** Max characters of a row. Also bounds a cell, and the text after a quotation mark that is never closed. */
  rowCharacters: number;
}

export const megabytes = (bytes: number) => Math.floor(bytes / (1024 * 1024));
