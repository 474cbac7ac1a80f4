import { openSheet, RowBatches } from '../row-batches.ts';
import type { RowBatch, Sheet, SpreadsheetLimits } from '../sheet.ts';
import { SpreadsheetError } from '../spreadsheet-error.ts';
import { isoDateText, isoDurationText, numberText } from './cell-values.ts';
import { type CellRange, SheetRows } from './sheet-rows.ts';
import { attributeOf, decodeXml, readXml, type XmlAttributes, type XmlHandlers } from './xml-reader.ts';
import { ZipArchive } from './zip-archive.ts';

const contentPath = 'content.xml';
/** The depth of a table below `document-content`, `body` and `spreadsheet`. */
const tableDepth = 4;

/** Opens an ods file. Like workbooks, it should be read in a worker thread. */
export async function openOds(bytes: AsyncIterable<Uint8Array>, limits: SpreadsheetLimits): Promise<Sheet> {
  const archive = await ZipArchive.open(bytes, limits);
  await refusePassword(archive);
  const batches = new RowBatches(limits.rows);
  const rows = new SheetRows(batches, limits);

  async function* read(): AsyncGenerator<RowBatch> {
    const reader = new OdsReader(rows, limits);
    for await (const _ of readXml(decodeXml(archive.read(contentPath)), reader.handlers)) yield* batches.full();
    if (!reader.found) throw new SpreadsheetError('no-visible-sheet');
    rows.end();
    yield* batches.end();
  }

  return openSheet(
    read(),
    () => batches.header,
    () => null,
  );
}

async function refusePassword(archive: ZipArchive): Promise<void> {
  const manifest = 'META-INF/manifest.xml';
  if (!archive.has(manifest)) return;
  const open = (name: string) => {
    if (name === 'encryption-data') throw new SpreadsheetError('password-protected');
  };
  for await (const _ of readXml(decodeXml(archive.read(manifest)), { open, close() {}, text() {} }));
}

class OdsReader {
  /** Whether a visible table was found. */
  found = false;
  private readonly rows: SheetRows;
  private readonly limits: SpreadsheetLimits;
  private readonly hiddenStyles = new Set<string>();
  private depth = 0;
  private style = '';
  private inTable = false;
  /** The number of open hidden groups of rows or columns, including nested ones. */
  private hiddenGroups = 0;

  private row = 0;
  private column = 0;
  private rowAttributes: XmlAttributes = {};
  private cells: string[] = [];
  private merges: CellRange[] = [];
  private characters = 0;

  private cellDepth = 0;
  private cellAttributes: XmlAttributes = {};
  private paragraphs: string[] = [];
  private inParagraph = false;

  constructor(rows: SheetRows, limits: SpreadsheetLimits) {
    this.rows = rows;
    this.limits = limits;
  }

  readonly handlers: XmlHandlers = {
    open: (name, attributes) => {
      this.depth++;
      if (this.inTable) this.openInTable(name, attributes);
      else if (name === 'style') this.style = attributeOf(attributes, 'name') ?? '';
      else if (name === 'table-properties' && attributeOf(attributes, 'display') === 'false') {
        this.hiddenStyles.add(this.style);
      } else if (name === 'table' && this.depth === tableDepth && !this.found) {
        this.inTable = !this.hiddenStyles.has(attributeOf(attributes, 'style-name') ?? '');
        this.found = this.inTable;
      }
    },
    close: (name) => {
      if (this.inTable) this.closeInTable(name);
      this.depth--;
    },
    text: (text) => {
      // Significant spaces are elements.
      if (this.inParagraph) this.append(text.replace(/[ \t\r\n]+/g, ' '));
    },
  };

  private openInTable(name: string, attributes: XmlAttributes): void {
    if (this.inParagraph) {
      if (name === 's') this.append(' '.repeat(Math.min(count(attributes, 'c'), this.limits.rowCharacters)));
      else if (name === 'tab') this.append('\t');
      else if (name === 'line-break') this.append('\n');
    } else if (this.cellDepth > 0) {
      // Comments and drawings have their own paragraphs, at a greater depth.
      if (name === 'p' && this.depth === this.cellDepth + 1) {
        this.inParagraph = true;
        this.paragraphs.push('');
      }
    } else if (name === 'table-column') {
      const end = this.column + count(attributes, 'number-columns-repeated');
      if (isHidden(attributes) || this.hiddenGroups > 0) this.rows.hideColumns(this.column, end - 1);
      this.column = end;
    } else if (name === 'table-row') {
      this.rowAttributes = attributes;
      this.cells = [];
      this.merges = [];
      this.column = 0;
      this.characters = 0;
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.cellDepth = this.depth;
      this.cellAttributes = attributes;
      this.paragraphs = [];
    } else if (isGroup(name) && (this.hiddenGroups > 0 || attributeOf(attributes, 'display') === 'false')) {
      this.hiddenGroups++;
    }
  }

  private closeInTable(name: string): void {
    if (this.depth === tableDepth) this.inTable = false;
    else if (this.cellDepth > 0) {
      if (this.depth === this.cellDepth + 1) this.inParagraph = false;
      if (this.depth !== this.cellDepth) return;
      this.cellDepth = 0;
      this.addCell(name === 'table-cell' ? this.cellText() : '');
    } else if (name === 'table-row') this.addRow();
    else if (isGroup(name) && this.hiddenGroups > 0) this.hiddenGroups--;
  }

  private append(text: string): void {
    this.characters += text.length;
    this.checkLength();
    this.paragraphs.push((this.paragraphs.pop() ?? '') + text);
  }

  private checkLength(): void {
    const limit = this.limits.rowCharacters;
    if (this.characters > limit) throw new SpreadsheetError('row-too-long', { row: this.row + 1, limit });
  }

  private addCell(value: string): void {
    const from = this.column;
    const to = from + count(this.cellAttributes, 'number-columns-repeated');
    this.column = to;
    if (value === '') return;
    const end = Math.min(to, this.rows.columnCount);
    this.characters += value.length * Math.max(0, end - from - 1);
    this.checkLength();
    for (let column = from; column < end; column++) this.cells[column] = value;
    const right = from + count(this.cellAttributes, 'number-columns-spanned') - 1;
    const bottom = this.row + count(this.cellAttributes, 'number-rows-spanned') - 1;
    if (right > from || bottom > this.row) this.merges.push({ top: this.row, left: from, bottom, right });
  }

  private addRow(): void {
    const repeat = count(this.rowAttributes, 'number-rows-repeated');
    const hidden = isHidden(this.rowAttributes) || this.hiddenGroups > 0;
    if (this.merges.length > 0) this.rows.addMerges(this.merges);
    if (this.cells.length === 0 && !hidden) this.rows.addBlankRows(repeat);
    else this.rows.addRow(this.row, this.cells, { hidden, repeat });
    this.row += repeat;
  }

  private cellText(): string {
    const value = (name: string) => attributeOf(this.cellAttributes, name) ?? '';
    // LibreOffice writes an error as the number 0 and a text.
    if (this.cellAttributes['calcext:value-type'] === 'error') return this.paragraphs.join('\n');
    switch (attributeOf(this.cellAttributes, 'value-type')) {
      case 'float':
      case 'percentage':
      case 'currency':
        return numberText(value('value'));
      case 'date':
        return isoDateText(value('date-value'));
      case 'time':
        return isoDurationText(value('time-value'));
      case 'boolean':
        return value('boolean-value').toUpperCase();
      default:
        return this.paragraphs.length > 0 ? this.paragraphs.join('\n') : value('string-value');
    }
  }
}

const maxCount = 2_000_000;

function count(attributes: XmlAttributes, name: string): number {
  const value = Number(attributeOf(attributes, name) ?? 1);
  if (!(Number.isInteger(value) && value >= 1)) throw new SpreadsheetError('unreadable');
  return Math.min(value, maxCount);
}

function isHidden(attributes: XmlAttributes): boolean {
  const visibility = attributeOf(attributes, 'visibility');
  return visibility === 'collapse' || visibility === 'filter';
}

function isGroup(name: string): boolean {
  return name === 'table-row-group' || name === 'table-column-group';
}
