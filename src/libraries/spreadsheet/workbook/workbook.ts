import { openSheet, RowBatches } from '../row-batches.ts';
import type { RowBatch, Sheet, SpreadsheetLimits } from '../sheet.ts';
import { SpreadsheetError } from '../spreadsheet-error.ts';
import { builtInFormat, customFormat, type NumberFormat } from './cell-values.ts';
import { SheetRows } from './sheet-rows.ts';
import { findMerges, SharedStrings, worksheetHandlers } from './worksheet.ts';
import { attributeOf, decodeXml, isTrue, readXml, type XmlHandlers } from './xml-reader.ts';
import { ZipArchive } from './zip-archive.ts';

/** Opens an xlsx or xlsm file. Inflating and parsing take seconds of CPU time, so it should run in a worker thread. */
export async function openWorkbook(bytes: AsyncIterable<Uint8Array>, limits: SpreadsheetLimits): Promise<Sheet> {
  const archive = await ZipArchive.open(bytes, limits);
  const workbookPath = await findWorkbook(archive);
  const parts = await readRelations(archive, workbookPath);
  const { sheetPath, date1904 } = await readWorkbookPart(archive, workbookPath, parts);
  const pathOf = (type: string) => parts.find((part) => part.type === type)?.path;
  const formats = await readFormats(archive, pathOf('styles'));
  const strings = await readSharedStrings(archive, pathOf('sharedStrings'));

  const batches = new RowBatches(limits.rows);
  const rows = new SheetRows(batches, limits);
  rows.addMerges(await findMerges(decodeXml(archive.read(sheetPath))));

  async function* read(): AsyncGenerator<RowBatch> {
    const handlers = worksheetHandlers({ rows, strings, formats, date1904, limits });
    for await (const _ of readXml(decodeXml(archive.read(sheetPath)), handlers)) yield* batches.full();
    rows.end();
    yield* batches.end();
  }

  return openSheet(
    read(),
    () => batches.header,
    () => null,
  );
}

interface Relation {
  id: string;
  /** The last segment of its URI: `worksheet`, `styles`, `sharedStrings`. */
  type: string;
  path: string;
}

async function findWorkbook(archive: ZipArchive): Promise<string> {
  const relations = await readRelations(archive, '');
  const path = relations.find(({ type }) => type === 'officeDocument')?.path;
  if (path === undefined) throw new SpreadsheetError('unreadable');
  return path;
}

/** Reads the relations of a part of the package, with paths from the root of the archive. */
async function readRelations(archive: ZipArchive, part: string): Promise<Relation[]> {
  const slash = part.lastIndexOf('/') + 1;
  const [folder, name] = [part.slice(0, slash), part.slice(slash)];
  const relations: Relation[] = [];
  await readPart(archive, `${folder}_rels/${name}.rels`, (element, attributes) => {
    // External targets are arbitrary links, and may not be valid URLs.
    if (element !== 'Relationship' || attributes.TargetMode === 'External') return;
    const { Id: id = '', Type: type = '', Target: target = '' } = attributes;
    const path = new URL(target, `file:///${folder}`).pathname.slice(1);
    relations.push({ id, type: type.slice(type.lastIndexOf('/') + 1), path: decodeURIComponent(path) });
  });
  return relations;
}

async function readWorkbookPart(archive: ZipArchive, path: string, parts: readonly Relation[]) {
  let sheetPath: string | undefined;
  let date1904 = false;
  await readPart(archive, path, (element, attributes) => {
    if (element === 'workbookPr') date1904 = isTrue(attributes.date1904);
    if (element !== 'sheet' || sheetPath !== undefined) return;
    if (attributes.state === 'hidden' || attributes.state === 'veryHidden') return;
    const id = attributeOf(attributes, 'id');
    sheetPath = parts.find((part) => part.id === id && part.type === 'worksheet')?.path;
  });
  if (sheetPath === undefined) throw new SpreadsheetError('no-visible-sheet');
  return { sheetPath, date1904 };
}

/** Reads the number format of each cell style. */
async function readFormats(archive: ZipArchive, path: string | undefined): Promise<NumberFormat[]> {
  const custom = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  let inCellFormats = false;
  if (path === undefined || !archive.has(path)) return formats;
  await readPart(
    archive,
    path,
    (element, attributes) => {
      if (element === 'numFmt') custom.set(Number(attributes.numFmtId), customFormat(attributes.formatCode ?? ''));
      if (element === 'cellXfs') inCellFormats = true;
      if (element !== 'xf' || !inCellFormats) return;
      const id = Number(attributes.numFmtId ?? 0);
      formats.push(custom.get(id) ?? builtInFormat(id));
    },
    (element) => {
      if (element === 'cellXfs') inCellFormats = false;
    },
  );
  return formats;
}

async function readSharedStrings(archive: ZipArchive, path: string | undefined): Promise<SharedStrings> {
  const strings = new SharedStrings();
  if (path === undefined || !archive.has(path)) return strings;
  for await (const _ of readXml(decodeXml(archive.read(path)), strings.handlers));
  return strings;
}

async function readPart(
  archive: ZipArchive,
  path: string,
  open: XmlHandlers['open'],
  close: XmlHandlers['close'] = () => {},
): Promise<void> {
  for await (const _ of readXml(decodeXml(archive.read(path)), { open, close, text: () => {} }));
}
