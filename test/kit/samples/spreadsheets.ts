import { type ZipPart, zip } from './zip.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const relationType = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

interface WorkbookParts {
  /** The content of the first worksheet's root element. */
  sheet?: string;
  /** The elements `sheet`; by default one that is visible. */
  sheets?: string;
  /** The elements `si`. */
  strings?: string;
  /** The content of the style sheet's root element. */
  styles?: string;
  workbookProperties?: string;
  /** The whole text of the worksheet. */
  sheetXml?: string | Buffer;
  /** Replaces parts by name, or adds them. */
  parts?: ZipPart[];
  /** Names of parts to leave out. */
  without?: string[];
}

/** An xlsx file. Worksheets are `sheet1.xml` (rId1) and, if `sheets` refers to it, `sheet2.xml` (rId4). */
export function workbook({
  sheet = '',
  sheets = '<sheet name="One" sheetId="1" r:id="rId1"/>',
  strings = '',
  styles = '',
  workbookProperties = '',
  sheetXml = `${declaration}<worksheet>${sheet}</worksheet>`,
  parts = [],
  without = [],
}: WorkbookParts): Buffer {
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${relationType}/${type}" Target="${target}"/>`;
  const relations = (content: string) => `${declaration}<Relationships>${content}</Relationships>`;
  const all = new Map<string, ZipPart>();
  const add = (part: ZipPart) => all.set(part.name, part);
  add({ name: '_rels/.rels', data: relations(relation(1, 'officeDocument', 'xl/workbook.xml')) });
  add({
    name: 'xl/workbook.xml',
    data: `${declaration}<workbook xmlns:r="r">${workbookProperties}<sheets>${sheets}</sheets></workbook>`,
  });
  add({
    name: 'xl/_rels/workbook.xml.rels',
    data: relations(
      relation(1, 'worksheet', 'worksheets/sheet1.xml') +
        relation(2, 'styles', '/xl/styles.xml') +
        relation(3, 'sharedStrings', 'sharedStrings.xml') +
        relation(4, 'worksheet', 'worksheets/sheet2.xml'),
    ),
  });
  add({ name: 'xl/worksheets/sheet1.xml', data: sheetXml });
  add({
    name: 'xl/worksheets/sheet2.xml',
    data: `${declaration}<worksheet>${rowsXml([['second sheet'], ['x']])}</worksheet>`,
  });
  add({ name: 'xl/styles.xml', data: `${declaration}<styleSheet>${styles}</styleSheet>` });
  add({ name: 'xl/sharedStrings.xml', data: `${declaration}<sst>${strings}</sst>` });
  for (const part of parts) add(part);
  for (const name of without) all.delete(name);
  return zip([...all.values()]);
}

/** Rows of texts as the element `sheetData`. */
export function rowsXml(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => (text === '' ? '<c/>' : `<c t="inlineStr"><is><t>${text}</t></is></c>`);
  return `<sheetData>${rows.map((cells) => `<row>${cells.map(cell).join('')}</row>`).join('')}</sheetData>`;
}

interface OdsParts {
  /** The elements of the document's first table. */
  table?: string;
  tables?: string;
  styles?: string;
  content?: string;
  parts?: ZipPart[];
}

export function ods({
  table = '',
  tables = `<table:table table:name="One">${table}</table:table>`,
  styles = '',
  content = `${declaration}<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`,
  parts = [],
}: OdsParts): Buffer {
  return zip([{ name: 'content.xml', data: content }, ...parts]);
}

/** A cell with text. */
export function odsCell(text: string, attributes = ''): string {
  return `<table:table-cell office:value-type="string" ${attributes}><text:p>${text}</text:p></table:table-cell>`;
}

export function odsRow(cells: string, attributes = ''): string {
  return `<table:table-row ${attributes}>${cells}</table:table-row>`;
}
