import { describe, expect, it } from 'vitest';
import { chunksOf } from '../../../test/kit/samples/read-spreadsheet.ts';
import { openJsonRows } from '../../libraries/spreadsheet/json-rows.ts';
import type { Sheet, SpreadsheetLimits } from '../../libraries/spreadsheet/sheet.ts';
import type { Channel } from '../../protocol/channels.ts';
import { buildRow, planColumns } from './columns.ts';
import { defaultLimits } from './limits.ts';
import { openNdjson } from './ndjson.ts';

interface Options {
  channel?: Channel;
  placeholders?: string[];
  limits?: Partial<SpreadsheetLimits>;
}

function open(
  content: string | Uint8Array | Iterable<Uint8Array>,
  { channel = 'email', placeholders = ['name'], limits }: Options = {},
) {
  return openNdjson(chunksOf(content), { channel, placeholders, limits: { ...defaultLimits, ...limits } });
}

async function readAll(opening: Promise<Sheet>) {
  const sheet = await opening;
  const batches = [];
  for await (const batch of sheet.batches) batches.push(batch);
  return { names: sheet.header.names, rows: batches.flatMap(({ rows }) => rows), batches, encoding: sheet.encoding() };
}

const line = (fields: object) => `${JSON.stringify(fields)}\n`;

describe('openNdjson', () => {
  it('has the columns of the template, whatever keys a line has', async () => {
    const text =
      line({ email_address: 'a@b.com', personalisation: { NAME: 'Ann', other: 'x' }, reference: 'r1' }) +
      line({ personalisation: { 'n-a_m e': 'Bob' }, email_address: 'b@b.com' }) +
      line({ email_address: null });
    expect(await readAll(open(text))).toMatchObject({
      names: ['email_address', 'name', 'reference'],
      rows: [['a@b.com', 'Ann', 'r1'], ['b@b.com', 'Bob'], []],
      encoding: 'utf-8',
    });
  });

  it('keeps lists, and writes numbers and booleans as text', async () => {
    const text = line({
      phone_number: '07700900123',
      personalisation: { a: ['x', 5, null, true], b: 1.5, c: false, d: ['one'], e: [] },
    });
    expect(await readAll(open(text, { channel: 'sms', placeholders: ['a', 'b', 'c', 'd', 'e'] }))).toMatchObject({
      names: ['phone_number', 'a', 'b', 'c', 'd', 'e', 'reference'],
      rows: [['07700900123', ['x', '5', '', 'true'], '1.5', 'false', ['one'], []]],
    });
  });

  it('gives a row whose lists are lists, without their empty values', async () => {
    const text = line({ personalisation: { a: ['x ', null, ' '], b: [], c: [' ', 'y', 'z'] } });
    const placeholders = ['a', 'b', 'c'];
    const { names, rows } = await readAll(open(text, { placeholders }));
    const columns = planColumns({ names, width: names.length }, 'email', placeholders);
    expect(buildRow(columns, rows[0] ?? []).values).toEqual([null, ['x'], [], ['y', 'z'], null]);
  });

  it('reads blank lines, CRLF, a byte order mark and a last line without its end', async () => {
    const text = `\ufeff{"email_address":"a@b.com"}\r\n\r\n  \n{"email_address":"b@b.com"}`;
    expect((await readAll(open(text))).rows).toEqual([['a@b.com'], ['b@b.com']]);
  });

  it('reads an empty file', async () => {
    for (const text of ['', '\n', ' \n\n']) {
      expect(await readAll(open(text))).toMatchObject({ names: [], rows: [] });
    }
  });

  it('does not depend on how the bytes arrive', async () => {
    const text = line({ email_address: 'ä@b.com', personalisation: { name: '🎉 Zoë' } }).repeat(3);
    const whole = await readAll(open(text));
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 3, 7, 50]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(await readAll(open(chunks))).toEqual(whole);
    }
  });

  it('uses the recipient or the reference where the template shows it', async () => {
    const text = line({ email_address: 'a@b.com', reference: 'r', personalisation: { 'Email Address': 'a@b.com' } });
    expect(await readAll(open(text, { placeholders: ['email address', 'Reference'] }))).toMatchObject({
      names: ['email_address', 'Reference'],
      rows: [['a@b.com', 'r']],
    });
  });

  it.each([
    [{ postcode: 'SW1 1AA' }, { address_line_7: 'France' }, 'postcode'],
    [{ 'Address Line 7': 'SW1 1AA' }, { postcode: 'France' }, 'address_line_7'],
  ])('takes the last line of an address by either name: %j', async (one, other, name) => {
    const text =
      line({ personalisation: { address_line_1: 'Ann', address_line_2: 'Street', ...one } }) +
      line({ personalisation: { address_line_1: 'Bob', ...other } });
    const { names, rows } = await readAll(open(text, { channel: 'letter', placeholders: [] }));
    expect(names).toEqual([...[1, 2, 3, 4, 5, 6].map((number) => `address_line_${number}`), name, 'reference']);
    expect(rows).toEqual([
      ['Ann', 'Street', '', '', '', '', 'SW1 1AA'],
      ['Bob', '', '', '', '', '', 'France'],
    ]);
  });

  it('makes batches of 500 rows', async () => {
    const { batches } = await readAll(open(line({ email_address: 'a@b.com' }).repeat(1_001)));
    expect(batches.map(({ firstRow, rows }) => [firstRow, rows.length])).toEqual([
      [0, 500],
      [500, 500],
      [1_000, 1],
    ]);
  });

  it.each([
    ['{"email_address"', 'line-not-json', 'Line 3 is not JSON'],
    ['["a@b.com"]', 'line-not-object', 'Line 3 must be a JSON object'],
    ['null', 'line-not-object', 'Line 3 must be a JSON object'],
    [
      '{"phone_number":"1"}',
      'line-unknown-key',
      'Line 3: phone_number was unexpected. A line may have email_address, personalisation, reference',
    ],
    ['{"email_address":5}', 'line-not-text', 'Line 3: email_address must be a string'],
    ['{"reference":["r"]}', 'line-not-text', 'Line 3: reference must be a string'],
    ['{"personalisation":"Ann"}', 'line-personalisation', 'Line 3: personalisation must be an object'],
    ['{"personalisation":["Ann"]}', 'line-personalisation', 'Line 3: personalisation must be an object'],
    [
      '{"personalisation":{"paper":{"file":"JVBERi0="}}}',
      'line-nested-value',
      'Line 3: the value of paper must be a string, a number, a boolean or a list of these. Files can only be sent in single emails',
    ],
    ['{"personalisation":{"a":[["b"]]}}', 'line-nested-value', expect.stringContaining('Line 3: the value of a must')],
    ['{"personalisation":{"a":[{}]}}', 'line-nested-value', expect.stringContaining('Line 3: the value of a must')],
    [
      '{"reference":"a","personalisation":{"Reference":"b"}}',
      'line-two-values',
      'Line 3: personalisation has another value for reference',
    ],
    ['{"__proto__":{}}', 'line-unknown-key', expect.stringContaining('Line 3: __proto__ was unexpected')],
  ])('names the line of %s', async (text, kind, message) => {
    const content = `${line({ email_address: 'a@b.com' })}\n${text}\n`;
    await expect(readAll(open(content))).rejects.toMatchObject({ kind, message });
  });

  it('names the line that is not UTF-8', async () => {
    const good = Buffer.from(line({ email_address: 'a@b.com' }));
    const bad = Buffer.concat([good, good, Buffer.from([0xff, 0x0a]), good]);
    await expect(readAll(open(bad))).rejects.toMatchObject({ message: 'Line 3 is not UTF-8' });
    await expect(readAll(open(Buffer.concat([good, Buffer.from([0xc3])])))).rejects.toMatchObject({
      message: 'Line 2 is not UTF-8',
    });
  });

  it('refuses a line that is too long, complete or not', async () => {
    const limits = { rowCharacters: 100 };
    const long = line({ email_address: 'x'.repeat(100) });
    const message = 'Line 2 is longer than 100 characters';
    await expect(readAll(open(`\n${long}`, { limits }))).rejects.toMatchObject({ message });
    await expect(readAll(open(`\n"${'x'.repeat(400)}`, { limits }))).rejects.toMatchObject({ message });
  });

  it('refuses too many bytes and too many rows', async () => {
    const text = line({ email_address: 'a@b.com' }).repeat(3);
    await expect(readAll(open(text, { limits: { textBytes: 20 } }))).rejects.toMatchObject({ kind: 'too-large' });
    await expect(readAll(open(text, { limits: { textRows: 2 } }))).rejects.toMatchObject({ kind: 'too-many-rows' });
  });

  it('reads a long line that arrives byte by byte in linear time', async () => {
    const chunk = Buffer.from('x');
    const chunks = (function* () {
      yield Buffer.from('{"email_address":"');
      for (let count = 0; count < 500_000; count += 1) yield chunk;
      yield Buffer.from('"}');
    })();
    const { rows } = await readAll(open(chunks));
    expect(rows[0]?.[0]).toHaveLength(500_000);
  }, 30_000);
});

describe('openJsonRows', () => {
  it('writes cells of any type as text', async () => {
    const rows = [
      ['email address', 'n', null, 'flag', 7],
      ['a@b.com', 5, 'x', true, [1, 'b'], { c: null }],
      [null, 1.5, false],
    ];
    expect(await readAll(openJsonRows(rows, defaultLimits))).toMatchObject({
      names: ['email address', 'n', '', 'flag', '7'],
      rows: [
        ['a@b.com', '5', 'x', 'true', '[1,"b"]', '{"c":null}'],
        ['', '1.5', 'false'],
      ],
      encoding: null,
    });
  });

  it('drops blank rows at the end, and keeps those before', async () => {
    const rows = [['email address'], [''], ['a@b.com'], ['', null], [], [' ']];
    expect((await readAll(openJsonRows(rows, defaultLimits))).rows).toEqual([[], ['a@b.com']]);
  });

  it('keeps commas and spaces at the end of the last cell', async () => {
    expect((await readAll(openJsonRows([['a'], ['b, ']], defaultLimits))).rows).toEqual([['b, ']]);
  });

  it('refuses too many columns', async () => {
    const rows = [['a'], ['b', 'c', 'd']];
    const opening = readAll(openJsonRows(rows, { textRows: 10, textColumns: 2 }));
    await expect(opening).rejects.toMatchObject({ kind: 'too-many-columns' });
  });
});
