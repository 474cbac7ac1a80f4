import { isBlank } from '../csv-records.ts';
import type { RowBatches } from '../row-batches.ts';
import type { SpreadsheetLimits } from '../sheet.ts';
import { SpreadsheetError } from '../spreadsheet-error.ts';

/** A range of cells, counted from 0. */
export interface CellRange {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

interface Merge extends CellRange {
  value: string;
}

const leastColumns = 50;
/** Limited, because a few bytes can repeat a cell or merge a whole sheet. */
const maxRepeatedCells = 5_000_000;
/** Merged ranges do not overlap, so a row has no more of them than columns. */
const maxMergesOfRow = 1_000;

/** Collects the visible rows and columns of a sheet; every cell of a merged range gets its value. */
export class SheetRows {
  private readonly batches: RowBatches;
  private readonly limits: SpreadsheetLimits;
  private readonly hidden: boolean[] = [];
  private merges: CellRange[] = [];
  private active: Merge[] = [];
  private repeatedCells = 0;
  private nextRow = 0;
  private hasHeader = false;
  /** Cells beyond this are cut off. The header may have one more than allowed, so that the excess is noticed. */
  columnCount: number;

  constructor(batches: RowBatches, limits: SpreadsheetLimits) {
    this.batches = batches;
    this.limits = limits;
    this.columnCount = limits.columns + 1;
  }

  hideColumns(from: number, to: number): void {
    for (let column = from; column <= Math.min(to, this.limits.columns); column++) this.hidden[column] = true;
  }

  /** Adds merged cells of rows that have not been added yet. */
  addMerges(merges: readonly CellRange[]): void {
    this.merges = [...this.merges, ...merges].sort((a, b) => b.top - a.top);
  }

  /** Omitted rows are blank. `cells` may have holes. */
  addRow(row: number, cells: string[], { hidden = false, repeat = 1 } = {}): void {
    if (row < this.nextRow) throw new SpreadsheetError('unreadable');
    this.skipTo(row);
    for (let count = 0; count < repeat; count++) {
      if (count > 0) this.countRepeated(cells.length);
      this.finishRow([...cells], hidden);
    }
  }

  addBlankRows(count: number): void {
    this.skipTo(this.nextRow + count);
  }

  end(): void {
    while (this.active.length > 0) this.finishRow([], false);
  }

  private skipTo(row: number): void {
    while (this.nextRow < row && this.active.length > 0) this.finishRow([], false);
    this.batches.addBlanks(row - this.nextRow);
    if (row > this.nextRow) this.hasHeader = true;
    this.nextRow = row;
  }

  private finishRow(cells: string[], hidden: boolean): void {
    const row = this.nextRow++;
    this.fillMerges(row, cells);
    if (hidden) return;
    const visible: string[] = [];
    for (let column = 0; column < Math.min(cells.length, this.columnCount); column++) {
      if (!this.hidden[column]) visible.push(cells[column] ?? '');
    }
    while (visible.length > 0 && visible.at(-1) === '') visible.pop();
    if (!this.hasHeader) this.setHeader(cells);
    const blank = visible.every(isBlank);
    const { rows: limit } = this.limits;
    if (row >= limit && !blank) throw new SpreadsheetError('too-many-rows', { limit });
    const characters = visible.reduce((sum, cell) => sum + cell.length, 0);
    const width = visible.length;
    // Text of a workbook is never stripped.
    const plainFrom = visible.at(-1)?.length ?? 0;
    this.batches.add({ cells: visible, width, characters, blank, quotedCells: width, plainFrom });
  }

  private setHeader(cells: readonly string[]): void {
    const { columns: limit } = this.limits;
    const width = cells.findLastIndex((cell, column) => cell !== undefined && cell !== '' && !this.hidden[column]) + 1;
    if (width > limit) throw new SpreadsheetError('too-many-columns', { limit });
    this.hasHeader = true;
    this.columnCount = Math.max(width, leastColumns);
  }

  private fillMerges(row: number, cells: string[]): void {
    for (let merge = this.merges.at(-1); merge && merge.top <= row; merge = this.merges.at(-1)) {
      this.merges.pop();
      const value = cells[merge.left] ?? '';
      if (value !== '' && merge.top === row) this.active.push({ ...merge, value });
    }
    if (this.active.length > maxMergesOfRow) throw new SpreadsheetError('unreadable');
    for (const { left, right, value } of this.active) {
      const last = Math.min(right, this.columnCount - 1);
      this.countRepeated(last - left + 1);
      for (let column = left; column <= last; column++) cells[column] = value;
    }
    this.active = this.active.filter(({ bottom }) => bottom > row);
  }

  private countRepeated(cells: number): void {
    this.repeatedCells += Math.max(0, cells);
    if (this.repeatedCells > maxRepeatedCells) throw new SpreadsheetError('too-large-unpacked');
  }
}
