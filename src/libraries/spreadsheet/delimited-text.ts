import { RecordReader, type SheetRecord, withoutBlankStart } from './csv-records.ts';
import { openSheet, RowBatches } from './row-batches.ts';
import { megabytes, type RowBatch, type Sheet, type SpreadsheetLimits } from './sheet.ts';
import { SpreadsheetError } from './spreadsheet-error.ts';
import { TextDecoding } from './text-decoding.ts';

/** Bounds the records that exist at once, even if the whole file arrives as one chunk. */
const pieceLength = 65_536;

interface DelimitedTextOptions {
  limits: SpreadsheetLimits;
  isHeader?: IsHeader;
}

/** Whether these can be column names. Called for a csv file whose header has no comma, to find its separator. */
export type IsHeader = (names: readonly string[]) => boolean;

/** Opens a csv or tsv file. Also runs in browsers. */
export function openDelimitedText(
  bytes: AsyncIterable<Uint8Array>,
  format: 'csv' | 'tsv',
  { limits, isHeader }: DelimitedTextOptions,
): Promise<Sheet> {
  const decoding = new TextDecoding();
  const records = new SeparatedRecords(limits, format === 'tsv' ? { separator: '\t' } : { isHeader });
  const batches = new RowBatches(format === 'tsv' ? limits.rows : limits.textRows);

  async function* read(): AsyncGenerator<RowBatch> {
    let byteCount = 0;
    for await (const chunk of bytes) {
      byteCount += chunk.length;
      if (byteCount > limits.textBytes) throw new SpreadsheetError('too-large', { limit: megabytes(limits.textBytes) });
      yield* add(decoding.decode(chunk));
    }
    yield* add(decoding.end());
    for (const record of records.end()) batches.add(record);
    yield* batches.end();
  }

  function* add(text: string): Generator<RowBatch> {
    for (let at = 0; at < text.length; at += pieceLength) {
      for (const record of records.read(text.slice(at, at + pieceLength))) batches.add(record);
      yield* batches.full();
    }
  }

  return openSheet(
    read(),
    () => batches.header,
    () => decoding.encoding,
  );
}

/** Excel writes such a line before the header. */
const separatorLine = /^sep=([,;\t|])(?:\r\n?|\n|$)/i;
const otherSeparators = [';', '\t'];

/**
 * Reads the records of a csv file whose separator depends on its header: a comma, unless the header has none and `isHeader` accepts the
 * names that another separator yields.
 */
class SeparatedRecords {
  private readonly limits: SpreadsheetLimits;
  private readonly isHeader: IsHeader;
  private separator: string | undefined;
  private head = '';
  private reader: RecordReader | undefined;

  /** `separator` is given if the file name determines it. */
  constructor(limits: SpreadsheetLimits, options: { separator?: string; isHeader?: IsHeader }) {
    this.limits = limits;
    this.separator = options.separator;
    this.isHeader = options.isHeader ?? (() => false);
  }

  read(text: string): SheetRecord[] {
    if (this.reader) return this.reader.read(text);
    this.head = withoutBlankStart(this.head + text);
    return this.hasHeader() ? this.start() : [];
  }

  end(): SheetRecord[] {
    const records = this.reader ? [] : this.start();
    const last = this.reader?.end();
    return last ? [...records, last] : records;
  }

  private hasHeader(): boolean {
    if (this.head.length > this.limits.rowCharacters) return true;
    if (new RecordReader(this.separator ?? ',', this.limits).read(this.head).length === 0) return false;
    const line = this.separator === undefined ? separatorLine.exec(this.head) : null;
    if (!line) return true;
    this.takeSeparatorLine(line);
    return this.hasHeader();
  }

  private takeSeparatorLine([line, separator]: RegExpExecArray): void {
    this.separator = separator;
    this.head = withoutBlankStart(this.head.slice(line.length));
  }

  private start(): SheetRecord[] {
    const line = this.separator === undefined ? separatorLine.exec(this.head) : null;
    if (line) this.takeSeparatorLine(line);
    const { head } = this;
    this.head = '';
    this.reader = new RecordReader(this.separator ?? this.chooseSeparator(head), this.limits);
    return this.reader.read(head);
  }

  private chooseSeparator(head: string): string {
    const byComma = this.readHeader(head, ',');
    if (byComma.width > 1 || this.isHeader(byComma.cells)) return ',';
    const fitting = otherSeparators.filter((separator) => this.isHeader(this.readHeader(head, separator).cells));
    return fitting.length === 1 ? (fitting[0] ?? ',') : ',';
  }

  private readHeader(head: string, separator: string): { cells: string[]; width: number } {
    const reader = new RecordReader(separator, this.limits);
    return reader.read(head)[0] ?? reader.end() ?? { cells: [], width: 0 };
  }
}
