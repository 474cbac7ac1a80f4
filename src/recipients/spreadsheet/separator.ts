import type { Channel } from '../../protocol/channels.ts';
import { withoutBlankStart } from './blank-text.ts';
import { namesRecipient } from './columns.ts';
import { RecordReader, type SheetRecord } from './csv-records.ts';
import type { SpreadsheetLimits } from './limits.ts';

/** Excel writes such a line before the header. */
const separatorLine = /^sep=([,;\t|])(?:\r\n?|\n|$)/i;
const otherSeparators = [';', '\t'];

/**
 * Reads the records of a csv file whose separator is known only from its header: a comma, unless the header has none and
 * another separator yields the recipient's column.
 */
export class SeparatedRecords {
  private readonly limits: SpreadsheetLimits;
  private readonly channel: Channel | undefined;
  private separator: string | undefined;
  private head = '';
  private reader: RecordReader | undefined;

  /** `separator` is given where the file's name says it. */
  constructor(limits: SpreadsheetLimits, options: { separator?: string; channel?: Channel }) {
    this.limits = limits;
    this.separator = options.separator;
    this.channel = options.channel;
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
    if (byComma.width > 1 || namesRecipient(byComma.cells, this.channel)) return ',';
    const fitting = otherSeparators.filter((separator) =>
      namesRecipient(this.readHeader(head, separator).cells, this.channel),
    );
    return fitting.length === 1 ? (fitting[0] ?? ',') : ',';
  }

  private readHeader(head: string, separator: string): { cells: string[]; width: number } {
    const reader = new RecordReader(separator, this.limits);
    return reader.read(head)[0] ?? reader.end() ?? { cells: [], width: 0 };
  }
}
