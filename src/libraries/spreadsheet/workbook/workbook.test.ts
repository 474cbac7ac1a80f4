import { describe, expect, it } from 'vitest';
import { readSpreadsheet } from '../../../../test/kit/samples/read-spreadsheet.ts';
import { ods, odsCell, odsRow, rowsXml, workbook } from '../../../../test/kit/samples/spreadsheets.ts';

async function read(name: string, bytes: Buffer): Promise<(readonly string[])[]> {
  const { header, rows, encoding } = await readSpreadsheet(name, bytes);
  expect(encoding).toBeNull();
  return [header, ...rows];
}
const xlsx = (parts: Parameters<typeof workbook>[0]) => read('a.xlsx', workbook(parts));
const openDocument = (parts: Parameters<typeof ods>[0]) => read('a.ods', ods(parts));
const data = (rows: string) => ({ sheet: `<sheetData>${rows}</sheetData>` });
const text = (reference: string, value: string) => `<c r="${reference}" t="str"><v>${value}</v></c>`;

describe('xlsx', () => {
  it('reads texts, shared and inline, with escapes, entities and formatting', async () => {
    const strings =
      '<si><t>name</t></si><si><r><t xml:space="preserve">Ann </t></r><r><t>Smith</t></r><rPh><t>phonetic</t></rPh></si>';
    const row1 = '<row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>a&amp;b</t></is></c></row>';
    const row2 = '<row><c t="s"><v>1</v></c><c t="str"><f>1</f><v>x_x000D_y_x005F_z&#233;</v></c></row>';
    expect(await xlsx({ ...data(row1 + row2), strings })).toEqual([
      ['name', 'a&b'],
      ['Ann Smith', 'x\ry_zé'],
    ]);
  });

  it('reads numbers, booleans, errors and formulas by their stored result', async () => {
    const values = ['7700900460', '12.30', '5.0', '0.30000000000000004', '1E+2', '-7', '12345678901234500000'];
    const cells = values.map((value) => `<c><v>${value}</v></c>`).join('');
    const others = '<c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c><c><f>A1</f></c><c><v>x</v></c>';
    const [, row] = await xlsx(data(`<row><c><v>1</v></c></row><row>${cells}${others}</row>`));
    expect(row).toEqual([
      ...['7700900460', '12.3', '5', '0.3', '100', '-7', '12345678901234500000'],
      ...['TRUE', 'FALSE', '#N/A', '', 'x'],
    ]);
  });

  describe('dates', () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="[h]:mm"/>
      <numFmt numFmtId="166" formatCode="&quot;due&quot; 0.0"/><numFmt numFmtId="167" formatCode="[Red]General;[Blue]d"/></numFmts>
      <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/>
      <xf numFmtId="167"/></cellXfs>`;
    it.each([
      [1, '34726', '1995-01-27'],
      [2, '43890.545208333329', '2020-02-29 13:05:06'],
      [1, '43890.999999', '2020-03-01'],
      [1, '0.39583333333333331', '09:30:00'],
      [3, '59', '1900-02-28'],
      [3, '61', '1900-03-01'],
      [4, '1.5', '36:00:00'],
      [5, '34726', '34726'],
      [6, '34726', '34726'],
      [0, '34726', '34726'],
      [1, '-1', '-1'],
      [1, '99999999', '99999999'],
    ])('style %i of %s is %s', async (style, value, expected) => {
      const row = `<row><c t="str"><v>a</v></c></row><row><c s="${style}"><v>${value}</v></c></row>`;
      expect(await xlsx({ ...data(row), styles })).toEqual([['a'], [expected]]);
    });

    it('count from 1904 if the workbook says so; some are written as text', async () => {
      const row =
        '<row><c s="1"><v>0</v></c><c s="1"><v>33264</v></c><c t="d"><v>1995-01-27T00:00:00</v></c><c s="1"><v>0.5</v></c></row>';
      const workbookProperties = '<workbookPr date1904="1"/>';
      expect(await xlsx({ ...data(row), styles, workbookProperties })).toEqual([
        ['1904-01-01', '1995-01-27', '1995-01-27', '12:00:00'],
      ]);
    });
  });

  it('reads the first visible sheet', async () => {
    const sheet = rowsXml([['first sheet']]);
    const named = (state: string, id: string) => `<sheet name="${id}" state="${state}" r:id="${id}"/>`;
    const first = async (sheets: string) => (await xlsx({ sheet, sheets }))[0];
    expect(await first(named('visible', 'rId1') + named('visible', 'rId4'))).toEqual(['first sheet']);
    expect(await first(named('hidden', 'rId1') + named('visible', 'rId4'))).toEqual(['second sheet']);
    expect(await first(named('veryHidden', 'rId1') + named('visible', 'rId4'))).toEqual(['second sheet']);
    await expect(first(named('hidden', 'rId1'))).rejects.toMatchObject({ kind: 'no-visible-sheet' });
  });

  it('leaves out hidden rows and columns, also before the header', async () => {
    const rows = [
      `<row r="1" hidden="1">${text('A1', 'secret')}</row>`,
      `<row r="2">${text('A2', 'a')}${text('B2', 'b')}${text('C2', 'c')}${text('D2', 'd')}</row>`,
      `<row r="3" ht="0">${text('A3', 'filtered out')}</row>`,
      `<row r="4">${text('A4', '1')}${text('B4', '2')}${text('C4', '3')}${text('D4', '4')}</row>`,
      `<row r="5" hidden="true">${text('A5', 'filtered out')}</row>`,
    ].join('');
    const columns = '<cols><col min="2" max="2" hidden="1"/><col min="4" max="16384" width="0"/></cols>';
    expect(await xlsx({ sheet: `${columns}<sheetData>${rows}</sheetData>` })).toEqual([
      ['a', 'c'],
      ['1', '3'],
    ]);
  });

  it('repeats the value of merged cells, and fills gaps', async () => {
    const rows = [
      `<row r="1">${text('A1', 'a')}${text('B1', 'b')}${text('C1', 'c')}</row>`,
      `<row r="2">${text('A2', '1')}${text('C2', 'x')}</row>`,
      `<row r="4">${text('C4', 'y')}</row>`,
      `<row r="6">${text('A6', 'z')}</row>`,
    ].join('');
    const merges = '<mergeCells><mergeCell ref="A2:B4"/><mergeCell ref="A6:A7"/><mergeCell ref="C9"/></mergeCells>';
    expect(await xlsx({ sheet: `<sheetData>${rows}</sheetData>${merges}` })).toEqual([
      ...[['a', 'b', 'c'], ['1', '1', 'x'], ['1', '1'], ['1', '1', 'y'], [], ['z'], ['z']],
    ]);
  });

  it('understands prefixed elements and cells without references', async () => {
    const sheetXml =
      '<x:worksheet xmlns:x="x"><x:sheetData><x:row><x:c><x:v>1</x:v></x:c><x:c r="C1"><x:v>3</x:v></x:c></x:row></x:sheetData><x:mergeCells><x:mergeCell ref="A1:B1"/></x:mergeCells></x:worksheet>';
    expect(await xlsx({ sheetXml })).toEqual([['1', '1', '3']]);
    const utf16 = Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${sheetXml}`, 'utf16le');
    expect(await xlsx({ sheetXml: utf16 })).toEqual([['1', '1', '3']]);
  });

  it('cuts off cells far to the right of the header', async () => {
    const row = (number: number) => `<row r="${number}">${text(`A${number}`, 'x')}`;
    const near = `${row(1)}</row>${row(2)}${text('AX2', 'near')}${text('AY2', 'far')}</row>`;
    const [, cells = []] = await xlsx(data(near));
    expect([cells.length, cells.at(-1)]).toEqual([50, 'near']);
    await expect(xlsx(data(`${row(1)}${text('ALM1', 'x')}</row>`))).rejects.toMatchObject({ kind: 'too-many-columns' });
    const [header = []] = await xlsx(data(`${row(1)}${text('ALL1', 'x')}</row>`));
    expect(header.length).toBe(1_000);
  });

  it('counts the rows of the sheet, blank ones at the end do not matter', async () => {
    const rows = (last: number) =>
      data(`<row r="1">${text('A1', 'a')}</row><row r="${last}">${text(`A${last}`, 'x')}</row>`);
    const [, ...blank] = await xlsx(rows(200_000));
    expect([blank.length, blank[0], blank.at(-1)]).toEqual([199_999, [], ['x']]);
    await expect(xlsx(rows(200_001))).rejects.toMatchObject({
      kind: 'too-many-rows',
      message: expect.stringContaining('200,000'),
    });
    const styled = data(`<row r="1">${text('A1', 'a')}</row><row r="1048576"><c r="A1048576" s="1"/></row>`);
    expect(await xlsx(styled)).toEqual([['a']]);
  });

  it('reads workbooks without texts and styles of their own', async () => {
    const without = ['xl/styles.xml', 'xl/sharedStrings.xml'];
    expect(await xlsx({ sheet: rowsXml([['a']]), without })).toEqual([['a']]);
  });

  it('reads workbooks whose parts are elsewhere, and ignores links to the outside', async () => {
    const type = 'http://purl.oclc.org/ooxml/officeDocument/relationships';
    const relations = (links: string) => `<Relationships>${links}</Relationships>`;
    const parts = [
      {
        name: '_rels/.rels',
        data: relations(`<Relationship Id="a" Type="${type}/officeDocument" Target="/my%20book/book.xml"/>`),
      },
      {
        name: 'my book/book.xml',
        data: '<x:workbook xmlns:r="r"><x:sheets><x:sheet r:id="b"/></x:sheets></x:workbook>',
      },
      {
        name: 'my book/_rels/book.xml.rels',
        data: relations(
          `<Relationship Id="x" Type="${type}/hyperlink" TargetMode="External" Target="http://[no url"/><Relationship Id="b" Type="${type}/worksheet" Target="../sheets/./one.xml"/>`,
        ),
      },
      { name: 'sheets/one.xml', data: `\ufeff<worksheet>${rowsXml([['a']])}</worksheet>` },
    ];
    expect(await xlsx({ parts })).toEqual([['a']]);
  });

  it('reads an empty sheet', async () => {
    expect(await xlsx({ sheet: '<sheetData/>' })).toEqual([[]]);
  });
});

describe('ods', () => {
  const cell = (attributes: string) => `<table:table-cell ${attributes}/>`;

  it('reads texts of several paragraphs without their comments', async () => {
    const note = '<office:annotation><text:p>a note</text:p></office:annotation>';
    const rich = `<table:table-cell office:value-type="string">${note}<text:p>one<text:s text:c="2"/><text:span>two</text:span></text:p><text:p>three<text:line-break/>four<text:tab/></text:p></table:table-cell>`;
    expect(await openDocument({ table: odsRow(odsCell('a')) + odsRow(rich) })).toEqual([
      ['a'],
      ['one  two\nthree\nfour\t'],
    ]);
  });

  it('reads errors by their text, and line breaks of the file as spaces', async () => {
    const error =
      '<table:table-cell office:value-type="float" office:value="0" calcext:value-type="error"><text:p>#N/A</text:p></table:table-cell>';
    expect(await openDocument({ table: odsRow(odsCell('a\n  b')) + odsRow(error) })).toEqual([['a b'], ['#N/A']]);
  });

  it('reads numbers, dates, times and booleans', async () => {
    const values = [
      'office:value-type="float" office:value="7700900460"',
      'office:value-type="percentage" office:value="0.5"',
      'office:value-type="date" office:date-value="1995-01-27"',
      'office:value-type="date" office:date-value="2020-02-29T13:05:06"',
      'office:value-type="time" office:time-value="PT09H30M00S"',
      'office:value-type="boolean" office:boolean-value="true"',
      'office:value-type="string" office:string-value="x"',
      'table:formula="of:=A1"',
    ];
    expect(
      await openDocument({ table: odsRow(odsCell('a')) + odsRow(values.map(cell).join('') + odsCell('end')) }),
    ).toEqual([['a'], ['7700900460', '0.5', '1995-01-27', '2020-02-29 13:05:06', '09:30:00', 'TRUE', 'x', '', 'end']]);
  });

  it('leaves out hidden sheets, rows and columns', async () => {
    const styles =
      '<style:style style:name="ta1"><style:table-properties table:display="false"/></style:style><style:style style:name="ta2"><style:table-properties table:display="true"/></style:style>';
    const columns =
      '<table:table-column/><table:table-column table:visibility="collapse"/><table:table-column-group table:display="false"><table:table-column/></table:table-column-group><table:table-column/>';
    const rows = [
      odsRow(odsCell('secret'), 'table:visibility="collapse"'),
      odsRow(['a', 'b', 'c', 'd'].map((name) => odsCell(name)).join('')),
      odsRow(odsCell('filtered out'), 'table:visibility="filter"'),
      `<table:table-row-group table:display="false"><table:table-row-group>${odsRow(odsCell('folded'))}</table:table-row-group>${odsRow(odsCell('folded, too'))}</table:table-row-group>`,
      odsRow(odsCell('1') + odsCell('2', 'table:number-columns-repeated="2"') + odsCell('4')),
    ].join('');
    const hidden = `<table:table table:style-name="ta1">${odsRow(odsCell('hidden'))}</table:table>`;
    const visible = `<table:table table:style-name="ta2">${columns}${rows}</table:table>`;
    expect(await openDocument({ styles, tables: hidden + visible + hidden })).toEqual([
      ['a', 'd'],
      ['1', '4'],
    ]);
    await expect(openDocument({ styles, tables: hidden })).rejects.toMatchObject({ kind: 'no-visible-sheet' });
  });

  it('repeats the value of merged cells, so that later cells stay in their columns', async () => {
    const merged = odsCell('1', 'table:number-columns-spanned="2" table:number-rows-spanned="2"');
    const covered = '<table:covered-table-cell table:number-columns-repeated="2"/>';
    const table = [
      odsRow(odsCell('a') + odsCell('b') + odsCell('c')),
      odsRow(`${merged}<table:covered-table-cell/>${odsCell('x')}`),
      odsRow(covered + odsCell('y')),
      odsRow(odsCell('2')),
    ].join('');
    expect(await openDocument({ table })).toEqual([['a', 'b', 'c'], ['1', '1', 'x'], ['1', '1', 'y'], ['2']]);
  });

  it('repeats rows, and drops blank ones at the end', async () => {
    const table = [
      odsRow(odsCell('a')),
      odsRow(odsCell('1'), 'table:number-rows-repeated="3"'),
      odsRow('<table:table-cell/>', 'table:number-rows-repeated="2"'),
      odsRow(odsCell('2')),
      odsRow('<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="1048000"'),
    ].join('');
    expect(await openDocument({ table })).toEqual([['a'], ['1'], ['1'], ['1'], [], [], ['2']]);
  });
});
