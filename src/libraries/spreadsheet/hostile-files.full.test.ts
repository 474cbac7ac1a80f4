import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLongRun } from '../../../test/kit/process/process-environment.ts';
import { processorTimeSince_ms, quadratic_ms } from '../../../test/kit/process/processor-time.ts';
import {
  anyRecipient,
  checkSheet,
  chunksOf,
  openSpreadsheet,
  readSpreadsheet,
} from '../../../test/kit/samples/read-spreadsheet.ts';
import { ods, odsCell, odsRow, rowsXml, workbook } from '../../../test/kit/samples/spreadsheets.ts';
import { zip } from '../../../test/kit/samples/zip.ts';
import { SpreadsheetError } from './spreadsheet-error.ts';

const megabyte = 1024 * 1024;
const chunk = 64 * 1024;

/** Reads as a caller does who keeps nothing, and measures. */
async function measure(name: string, content: Parameters<typeof readSpreadsheet>[1]) {
  const before = memory();
  let peak = 0;
  let chunks = 0;
  async function* counted() {
    for await (const bytes of chunksOf(content)) {
      chunks++;
      peak = Math.max(peak, memory() - before);
      yield bytes;
    }
  }
  let rows = 0;
  let kind: string | undefined;
  try {
    const sheet = await openSpreadsheet(name, counted());
    for await (const batch of sheet.batches) {
      rows += batch.rows.length;
      peak = Math.max(peak, memory() - before);
    }
  } catch (error) {
    if (!(error instanceof SpreadsheetError)) throw error;
    kind = error.kind;
  }
  return { kind, rows, chunks, megabytes: peak / megabyte };
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function* repeated(start: string, text: string, bytes: number, end = ''): Generator<Uint8Array> {
  yield Buffer.from(start);
  const piece = Buffer.from(text.repeat(Math.ceil(chunk / text.length)));
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
  yield Buffer.from(end);
}

describe('csv', () => {
  it.each([
    ['a cell', 'a\n', 'x'],
    ['a quotation mark that is never closed', 'a\n"', 'x\n'],
    ['a header', '', 'x'],
    ['a header in quotation marks', '"', '\n'],
  ])('%s of 100 MB ends the reading early', async (_, start, text) => {
    const { kind, chunks } = await measure('a.csv', repeated(start, text, 100 * megabyte));
    expect(kind).toBe('row-too-long');
    expect(chunks).toBeLessThan(25);
  });

  it.each([
    ['in the header', 'a,', ''],
    ['in a row', 'a\n', '1,'],
  ])('a million columns %s are too many', async (_, start, text) => {
    const { kind, chunks } = await measure('a.csv', repeated(start, text || 'a,', 2_000_000));
    expect(kind).toBe('too-many-columns');
    expect(chunks).toBeLessThan(25);
  });

  it('a million columns without name or value cost nothing', async () => {
    const { kind, rows, megabytes } = await measure('a.csv', repeated('a', ',', 10_000_000, '\n1\n'));
    expect([kind, rows]).toEqual([undefined, 1]);
    expect(megabytes).toBeLessThan(80);
  });

  it('40 MB of blank lines at the end are no rows, before a row they are too many', async () => {
    const atEnd = await measure('a.csv', repeated('a\n1', '\n', 40 * megabyte));
    expect(atEnd).toMatchObject({ kind: undefined, rows: 1 });
    expect(atEnd.megabytes).toBeLessThan(150);
    const before = await measure('a.csv', repeated('a\n1', '\n', 2 * megabyte, '2'));
    expect(before).toMatchObject({ kind: 'too-many-rows', rows: 1_000_000 });
    expect(before.megabytes).toBeLessThan(150);
  });

  it('100 MB of text before the first line break are refused, of blanks are not', async () => {
    expect((await measure('a.csv', repeated('', ' ', 20 * megabyte, 'a\n1'))).rows).toBe(1);
    expect((await measure('a.csv', repeated('a\n1', ' ', 20 * megabyte, '\n2'))).kind).toBe('row-too-long');
  });

  it('rows of 5,000 cells come in small batches', async () => {
    const sheet = await openSpreadsheet('a.csv', chunksOf(repeated('a\n', `${'1,'.repeat(5_000)}\n`, megabyte)));
    for await (const { rows } of sheet.batches) expect(rows.length).toBeLessThan(25);
  });

  it('16,000 columns of one name and rows of one cell are read', async () => {
    const sheet = await openSpreadsheet(
      'a.csv',
      chunksOf(`phone number${',name'.repeat(16_000)}\n${'07700900460\n'.repeat(20_000)}`),
    );
    const template = { channel: 'sms', placeholders: ['name'], contentProblems: () => [] } as const;
    const { summary } = await checkSheet(sheet, template, anyRecipient);
    expect(summary).toMatchObject({ row_count: 20_000, rows_with_problems: 20_000 });
  });

  it('a file over the limit is too large', async () => {
    await expect(readSpreadsheet('a.csv', 'a\n12345', { textBytes: 6 })).rejects.toMatchObject({ kind: 'too-large' });
  });

  it('a long run of spaces inside a cell takes no quadratic time', async () => {
    const before = process.cpuUsage();
    await readSpreadsheet('a.csv', `a\nx${' '.repeat(900_000)}x,${'\u00a0'.repeat(10_000)}`);
    expect(processorTimeSince_ms(before)).toBeLessThan(quadratic_ms);
  });
});

describe('archives', () => {
  const small = workbook({ sheet: rowsXml([['a'], ['1']]) });

  it('cut anywhere are unreadable', async () => {
    for (let length = 0; length < small.length; length += 37) {
      const { kind } = await measure('a.xlsx', small.subarray(0, length));
      expect([length, kind]).toEqual([length, 'unreadable']);
    }
  });

  it('with any byte changed are read or refused, and nothing else', async () => {
    for (let at = 0; at < small.length; at += isLongRun ? 3 : 19) {
      const bytes = Buffer.from(small);
      bytes[at] = (bytes[at] ?? 0) ^ 0x5a;
      await measure('a.xlsx', bytes);
    }
  });

  it('with parts changed at random are read or refused, and nothing else', async () => {
    const sheet = `<cols><col min="2" max="2" hidden="1"/></cols><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row>
      <row r="3"><c r="A3" s="1"><v>34726</v></c><c r="B3" t="b"><v>1</v></c></row></sheetData>
      <mergeCells><mergeCell ref="A3:B4"/></mergeCells>`;
    const table = `<table:table-column table:visibility="collapse"/>${odsRow(odsCell('a'), 'table:number-rows-repeated="2"')}
      ${odsRow(odsCell('b', 'table:number-columns-spanned="2" table:number-rows-spanned="2"'))}`;
    const change = fc.record({ at: fc.nat(), by: fc.constantFrom('<', '>', '"', '&', '9', '-', '/', 'x', '', '\0') });
    const changed = (text: string, { at, by }: { at: number; by: string }) => {
      const place = at % text.length;
      return text.slice(0, place) + by + text.slice(place + 1);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const strings = changes.reduce(changed, '<si><t>a</t></si>');
        const styles = changes.reduce(changed, '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>');
        await measure('a.xlsx', workbook({ sheet: changes.reduce(changed, sheet), strings: '<si><t>a</t></si>' }));
        await measure('a.xlsx', workbook({ sheet, strings, styles }));
        await measure('a.ods', ods({ table: changes.reduce(changed, table) }));
      }),
      { numRuns: isLongRun ? 300 : 50 },
    );
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'unreadable'],
    ['text', Buffer.from('phone number\n1'), 'unreadable'],
    ['a picture', Buffer.from('iVBORw0KGgoAAA==', 'base64'), 'unreadable'],
    ['another archive', zip([{ name: 'a.txt', data: 'x' }]), 'unreadable'],
    ['the container of a workbook with password', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'password-protected'],
    ['10,001 parts', zip(Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, data: '' }))), 'unreadable'],
  ])('%s is refused as a workbook', async (_, bytes, kind) => {
    expect((await measure('a.xlsx', bytes)).kind).toBe(kind);
    expect((await measure('a.ods', bytes)).kind).toBe(kind);
  });

  it('over 10 MB are not collected', async () => {
    const { kind, chunks } = await measure('a.xlsx', repeated('PK', 'x', 100 * megabyte));
    expect(kind).toBe('too-large');
    expect(chunks).toBeLessThan(170);
  });

  it('with encrypted parts are password-protected', async () => {
    const part = { name: 'xl/worksheets/sheet1.xml', data: 'x', encrypted: true };
    expect((await measure('a.xlsx', workbook({ parts: [part] }))).kind).toBe('password-protected');
    const manifest = { name: 'META-INF/manifest.xml', data: '<m><f><encryption-data/></f></m>' };
    expect((await measure('a.ods', ods({ parts: [manifest] }))).kind).toBe('password-protected');
  });

  it('that unpack to more than 200 MB are refused before they are unpacked', async () => {
    const bomb = Buffer.alloc(201 * megabyte, ' ');
    for (const [name, bytes] of [
      ['a.xlsx', workbook({ sheetXml: bomb })],
      ['a.ods', ods({ parts: [{ name: 'content.xml', data: bomb }] })],
    ] as const) {
      const before = process.cpuUsage();
      const { kind, megabytes } = await measure(name, bytes);
      expect(kind).toBe('too-large-unpacked');
      expect(megabytes).toBeLessThan(20);
      expect(processorTimeSince_ms(before)).toBeLessThan(quadratic_ms);
    }
  });

  it('that repeat the same over and over are refused before they are unpacked', async () => {
    const before = process.cpuUsage();
    const { kind } = await measure('a.xlsx', workbook({ sheet: `<sheetData><row>${'<c/>'.repeat(20_000_000)}` }));
    expect(kind).toBe('too-large-unpacked');
    expect(processorTimeSince_ms(before)).toBeLessThan(quadratic_ms);
  });

  it('that lie about sizes are unreadable as soon as the size is passed', async () => {
    const rows = rowsXml(Array.from({ length: 200_000 }, () => ['x']));
    const part = (declaredSize: number) => ({
      name: 'xl/worksheets/sheet1.xml',
      data: `<worksheet>${rows}</worksheet>`,
      declaredSize,
    });
    for (const size of [1_000, 60 * megabyte]) {
      expect((await measure('a.xlsx', workbook({ parts: [part(size)] }))).kind).toBe('unreadable');
    }
    const { kind } = await measure('a.xlsx', workbook({ parts: [part(3_000_000_000)] }));
    expect(kind).toBe('too-large-unpacked');
  });
});

describe('XML', () => {
  const sheet = (sheetXml: string | Buffer) => measure('a.xlsx', workbook({ sheetXml }));
  const content = (text: string) => measure('a.ods', ods({ content: text }));
  const laughs = `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(10)}"><!ENTITY c "${'&b;'.repeat(10)}">]>`;

  it.each([
    ['is not well-formed', '<worksheet><sheetData><row></sheetData></worksheet>'],
    ['ends early', '<worksheet><sheetData><row><c><v>1</v></c></row>'],
    ['is no XML', 'phone number,name'],
    ['is empty', ''],
    [
      'declares entities',
      `${laughs}<worksheet><sheetData><row><c t="str"><v>&c;</v></c></row></sheetData></worksheet>`,
    ],
    ['loads a file', '<!DOCTYPE w SYSTEM "file:///etc/passwd"><worksheet><sheetData/></worksheet>'],
    ['uses an unknown entity', '<worksheet><sheetData><row><c t="str"><v>&x;</v></c></row></sheetData></worksheet>'],
    ['is nested too deep', `<worksheet>${'<a>'.repeat(1_000_000)}`],
    ['is not UTF-8', Buffer.from('<worksheet>\xff\xfe</worksheet>', 'latin1')],
    ['refers to no text', '<worksheet><sheetData><row><c t="s"><v>7</v></c></row></sheetData></worksheet>'],
    ['refers to no cell', '<worksheet><sheetData><row><c r="1A"><v>7</v></c></row></sheetData></worksheet>'],
    ['counts rows backwards', '<worksheet><sheetData><row r="2"/><row r="1"/></sheetData></worksheet>'],
    ['counts rows from minus one', '<worksheet><sheetData><row r="-1"/></sheetData></worksheet>'],
  ])('that %s is unreadable', async (_, xml) => {
    expect((await sheet(xml)).kind).toBe('unreadable');
  });

  it.each([
    ['comment', '<!--', ' '],
    ['attribute', '<a b="', 'x'],
    ['name', '<', 'x'],
    ['text', '<sheetData><row><c><v>', '1'],
    ['processing instruction', '<?x ', 'x'],
  ])('with a %s of 60 MB is unreadable, with bounded memory', async (_, start, text) => {
    const { kind, megabytes } = await sheet(
      Buffer.concat([Buffer.from(`<worksheet>${start}`), Buffer.alloc(60 * megabyte, text)]),
    );
    expect(kind).toBe('unreadable');
    expect(megabytes).toBeLessThan(150);
  });

  it('with declared entities is unreadable in ods, too', async () => {
    expect((await content(`${laughs}<a>&c;</a>`)).kind).toBe('unreadable');
    expect((await content('<a>'.repeat(200))).kind).toBe('unreadable');
  });

  it.each([
    ['overlapping merges', 'unreadable', '<mergeCell ref="A1:B9"/>'.repeat(2_000)],
    ['too many merges', 'unreadable', '<mergeCell ref="A1:B9"/>'.repeat(100_001)],
    ['a merge of nothing', 'unreadable', '<mergeCell ref="x"/>'],
    ['a merged sheet', 'too-large-unpacked', '<mergeCell ref="A2:ALL1048576"/>'],
    ['a merged column', 'too-many-rows', '<mergeCell ref="A2:A1048576"/>'],
  ])('with %s is refused', async (_, kind, merges) => {
    const xml = `<worksheet>${rowsXml([Array.from({ length: 900 }, () => 'a'), ['1']])}<mergeCells>${merges}</mergeCells></worksheet>`;
    expect((await sheet(xml)).kind).toBe(kind);
  });

  it.each([
    [
      'a row',
      'too-large-unpacked',
      odsRow(odsCell('x', 'table:number-columns-repeated="40"'), 'table:number-rows-repeated="1000000"'),
    ],
    ['a short row', 'too-many-rows', odsRow(odsCell('x'), 'table:number-rows-repeated="1000000"')],
    ['a header', 'too-many-columns', odsRow(odsCell('x', 'table:number-columns-repeated="1001"'))],
    ['a long cell', 'row-too-long', odsRow(odsCell('x'.repeat(100_000), 'table:number-columns-repeated="20"'))],
    ['spaces', 'row-too-long', odsRow(odsCell('<text:s text:c="1000000"/>'.repeat(100)))],
    ['less than once', 'unreadable', odsRow(odsCell('x', 'table:number-columns-repeated="0"'))],
  ])('that repeats %s is refused', async (what, kind, row) => {
    const header = what === 'a header' ? '' : odsRow(odsCell('a'));
    expect((await measure('a.ods', ods({ table: header + row }))).kind).toBe(kind);
  });

  it('with 4 million texts is refused, with bounded memory', async () => {
    const { kind, megabytes } = await measure('a.xlsx', workbook({ strings: '<si/>'.repeat(4_000_000) }));
    expect(kind).toBe('too-large-unpacked');
    expect(megabytes).toBeLessThan(250);
  });

  it('with a cell of 5 million characters is refused', async () => {
    expect((await sheet(`<worksheet>${rowsXml([['a'], ['x'.repeat(3_000_000)]])}</worksheet>`)).kind).toBe(
      'row-too-long',
    );
  });
});
