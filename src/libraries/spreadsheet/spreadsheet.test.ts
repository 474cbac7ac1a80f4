import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunksOf, openSpreadsheet, readSpreadsheet } from '../../../test/kit/samples/read-spreadsheet.ts';
import { fileErrorTexts, SpreadsheetError } from './spreadsheet-error.ts';

const csv = (content: string | Uint8Array | Uint8Array[]) => readSpreadsheet('a.csv', content);
const rowsOf = async (content: string) => {
  const { header, rows } = await csv(content);
  return [header, ...rows];
};

describe('names of files', () => {
  it.each(['a.csv', 'A.CSV', 'my.list.csv', 'a.tsv'])('reads %s', async (name) => {
    expect((await readSpreadsheet(name, 'phone number\n1')).rows).toEqual([['1']]);
  });

  it.each(['a', 'a.txt', 'a.xlsb', 'csv', 'a.csv.exe', ''])('refuses %j', async (name) => {
    await expect(readSpreadsheet(name, 'a\n1')).rejects.toMatchObject({ kind: 'not-a-spreadsheet' });
  });

  it('says what to do with an old Excel file', async () => {
    const reading = readSpreadsheet('a.XLS', 'a\n1');
    await expect(reading).rejects.toThrow(fileErrorTexts['old-excel-file']);
    await expect(reading).rejects.toBeInstanceOf(SpreadsheetError);
  });
});

describe('records', () => {
  it.each([
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r1,2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\n"x, ""y""\nz"', [['a'], ['x, "y"\nz']]],
    ['a\n"x\r\ny\rz"', [['a'], ['x\r\ny\rz']]],
    [
      'a,b\n  "x" y , z',
      [
        ['a', 'b'],
        ['x y ', 'z'],
      ],
    ],
    ['a\nx "y" z', [['a'], ['x "y" z']]],
    ['a\n\t"x"', [['a'], ['\t"x"']]],
    ['a\n"x\\"y"', [['a'], ['x\\y"']]],
    [
      'a,b\n1,"x,y\nz',
      [
        ['a', 'b'],
        ['1', 'x,y\nz'],
      ],
    ],
    ['a\n""""', [['a'], ['"']]],
    ['a\n1\n\n\n2', [['a'], ['1'], [], [], ['2']]],
    ['a,b\n,\n1,2', [['a', 'b'], [], ['1', '2']]],
    [
      'a,b\n1,2\n , \n,\n\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a,b\n1,2\n"",""', [['a', 'b'], ['1', '2'], []]],
    ['\ufeff \n\n a,b\n1', [['a', 'b'], ['1']]],
    ['a\n1,2 ,\t\u00a0,,\n', [['a'], ['1', '2']]],
    ['a\n1,2,\u3000 , ,\u2028\n', [['a'], ['1', '2']]],
    ['a\n1,2\t,"",\u3000', [['a'], ['1', '2\t']]],
    ['a\n1,"2 " \t,', [['a'], ['1', '2 ']]],
    ['a\n1,"2 "', [['a'], ['1', '2 ']]],
    ['a\n"1 ,\n\u3000', [['a'], ['1']]],
    ['phone number  ,,,\ufeff ', [['phone number']]],
    ['a\nx\u2028y\u0085\vz', [['a'], ['x\u2028y\u0085\vz']]],
    ['', [[]]],
    [',,\n \n', [[]]],
    [',\na,b', [[], ['a', 'b']]],
  ])('%j', async (text, expected) => {
    expect(await rowsOf(text)).toEqual(expected);
  });

  it('counts columns without a name', async () => {
    const sheet = await openSpreadsheet('a.csv', chunksOf('a,,\n1,2'));
    expect(sheet.header).toEqual({ names: ['a'], width: 3 });
    const only = await openSpreadsheet('a.csv', chunksOf('a,"", ,\n'));
    expect(only.header).toEqual({ names: ['a'], width: 2 });
  });

  it('reads tab separated values, up to the row limit', async () => {
    const text = 'phone number\tname\n1\t"A\t""B"""\n2\tx, y\n';
    const { header, rows } = await readSpreadsheet('a.tsv', text);
    expect([header, ...rows]).toEqual([
      ['phone number', 'name'],
      ['1', 'A\t"B"'],
      ['2', 'x, y'],
    ]);
    await expect(readSpreadsheet('a.tsv', text, { rows: 1 })).rejects.toMatchObject({ kind: 'too-many-rows' });
  });
});

describe('separators', () => {
  it.each([
    [
      'phone number;name\n1;Ann',
      [
        ['phone number', 'name'],
        ['1', 'Ann'],
      ],
    ],
    [
      'email address\tname\n1\tAnn',
      [
        ['email address', 'name'],
        ['1', 'Ann'],
      ],
    ],
    [
      '"a;b";phone number\n1;2',
      [
        ['a;b', 'phone number'],
        ['1', '2'],
      ],
    ],
    [
      'address line 1;address line 2;postcode\n1;2;3',
      [
        ['address line 1', 'address line 2', 'postcode'],
        ['1', '2', '3'],
      ],
    ],
    [
      'sep=;\nname;date\n1;2',
      [
        ['name', 'date'],
        ['1', '2'],
      ],
    ],
    [
      'SEP=,\r\nname,date\r\n1,2',
      [
        ['name', 'date'],
        ['1', '2'],
      ],
    ],
    [
      'sep=|\rname|date\r1|2',
      [
        ['name', 'date'],
        ['1', '2'],
      ],
    ],
    // No recipient, a comma outside quotation marks, or both separators would do: commas.
    ['name;date\n1;2', [['name;date'], ['1;2']]],
    ['phone number;name,x\n1;2', [['phone number;name', 'x'], ['1;2']]],
    ['phone number;a\temail address\n1', [['phone number;a\temail address'], ['1']]],
    ['phone number\n1;2', [['phone number'], ['1;2']]],
  ])('%j', async (text, expected) => {
    expect(await rowsOf(text)).toEqual(expected);
  });

  it('looks for the recipient of the template only, if there is one', async () => {
    const open = (channel: 'sms' | 'email') =>
      openSpreadsheet('a.csv', chunksOf('phone number;name\n1;2'), {
        channel,
      });
    expect((await open('sms')).header.names).toEqual(['phone number', 'name']);
    expect((await open('email')).header.names).toEqual(['phone number;name']);
  });
});

describe('encodings', () => {
  const text = 'name,city\nZoë – café,漢字 🐈\nAnn,Łódź';
  const western = Buffer.from('name\nZo\xeb \x96 caf\xe9 \x80\n', 'latin1');
  const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();

  it.each([
    ['utf-8', Buffer.from(text)],
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', swapped(Buffer.from(`\ufeff${text}`, 'utf16le'))],
  ])('reads %s', async (encoding, bytes) => {
    const expected = {
      header: ['name', 'city'],
      rows: [
        ['Zoë – café', '漢字 🐈'],
        ['Ann', 'Łódź'],
      ],
      encoding,
    };
    expect(await csv(bytes)).toEqual(expected);
    expect(await csv(bytewise(bytes))).toEqual(expected);
  });

  it('reads Windows-1252 and says so', async () => {
    const expected = { header: ['name'], rows: [['Zoë – café €']], encoding: 'windows-1252' };
    expect(await csv(western)).toEqual(expected);
    expect(await csv(bytewise(western))).toEqual(expected);
  });

  it('decides late, after many rows without accents', async () => {
    const plain = Buffer.from(`name\n${'Ann\n'.repeat(100_000)}`);
    const { rows, encoding } = await csv([plain, western.subarray(5)]);
    expect([rows.length, rows.at(-1), encoding]).toEqual([100_001, ['Zoë – café €'], 'windows-1252']);
  });

  it.each([
    ['a picture', Buffer.from('iVBORw0KGgoAAA==', 'base64'), 'not-text'],
    ['a zip archive', Buffer.from('PK\x03\x04\x14\0\0\0\x08\0\xff\xfe', 'latin1'), 'not-text'],
    ['bytes that Windows-1252 does not define', Buffer.from('a\n\x81\x8d', 'latin1'), 'not-text'],
    ['half a UTF-16 character', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x00, 0xd8]), 'not-text'],
    ['UTF-8 followed by Windows-1252', Buffer.concat([Buffer.from('a\né\n'), western]), 'mixed-encodings'],
  ])('refuses %s', async (_, bytes, kind) => {
    await expect(csv(bytes)).rejects.toMatchObject({ kind });
    await expect(csv(bytewise(bytes))).rejects.toMatchObject({ kind });
  });
});

function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}

describe('chunks', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'phone number',
      ',',
      ';',
      '\t',
      '\n',
      '\r',
      '\r\n',
      '"',
      '""',
      ' ',
      'é',
      '🐈',
      '\u00a0',
      '\ufeff',
      'sep=;\n',
    ],
  );

  it('give the same records wherever the file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 40 }),
        fc.constantFrom('utf8', 'utf16le', 'latin1'),
        async (pieces, encoding) => {
          const mark = encoding === 'utf16le' ? '\ufeff' : '';
          const bytes = Buffer.from(mark + pieces.join(''), encoding as BufferEncoding);
          const outcome = (chunks: Uint8Array[]) => csv(chunks).catch((error: SpreadsheetError) => error.kind);
          const whole = await outcome([bytes]);
          expect(await outcome(bytewise(bytes))).toEqual(whole);
          for (let at = 1; at < bytes.length; at++) {
            expect(await outcome([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('come back out of quoted cells unchanged', async () => {
    const cell = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !/\p{Cs}/u.test(text));
    const row = fc.array(cell, { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const quoted = rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(','));
        expect(await rowsOf(['"x","y"', ...quoted].join('\n'))).toEqual([['x', 'y'], ...rows]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('batches', () => {
  it('have 500 rows, fewer if the rows are long', async () => {
    const sizes = async (text: string) => {
      const sheet = await openSpreadsheet('a.csv', chunksOf(text));
      const found: number[][] = [];
      for await (const { firstRow, rows } of sheet.batches) found.push([firstRow, rows.length]);
      return found;
    };
    expect(await sizes(`a\n${'1\n'.repeat(1_001)}`)).toEqual([
      [0, 500],
      [500, 500],
      [1_000, 1],
    ]);
    expect(await sizes(`a\n${`${'x'.repeat(400_000)}\n`.repeat(4)}`)).toEqual([
      [0, 3],
      [3, 1],
    ]);
  });

  it('end the source when the reader stops', async () => {
    let closed = false;
    async function* source() {
      try {
        yield Buffer.from('a\n');
        for (;;) yield Buffer.from('1\n'.repeat(1_000));
      } finally {
        closed = true;
      }
    }
    const sheet = await openSpreadsheet('a.csv', source());
    for await (const _ of sheet.batches) break;
    expect(closed).toBe(true);
  });
});

it('reads csv without modules of Node, so that browsers can', () => {
  const seen = new Set<string>();
  const visit = (url: URL) => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    for (const [, path = ''] of readFileSync(url, 'utf8').matchAll(/^import (?!type)[^'"]*?from '([^']+)'/gms)) {
      expect([url.pathname, path]).toEqual([url.pathname, expect.stringMatching(/^\.\.?\//)]);
      visit(new URL(path, url));
    }
  };
  visit(new URL('./delimited-text.ts', import.meta.url));
  expect(seen.size).toBeGreaterThan(5);
});
