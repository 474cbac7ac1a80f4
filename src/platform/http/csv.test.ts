import accepts from '@fastify/accepts';
import fc from 'fast-check';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { csvText, prefersCsv } from './csv.ts';

describe('csvText', () => {
  it('writes a header and one line per row, quoted only where needed', () => {
    const rows = [
      { name: 'plain', count: 3, cost: 0.024, note: null },
      { name: 'a "quoted", long\nname', count: 0, cost: -1.5, note: undefined },
    ];
    expect(csvText(['name', 'count', 'cost', 'note'], rows)).toBe(
      'name,count,cost,note\r\nplain,3,0.024,\r\n"a ""quoted"", long\nname",0,-1.5,\r\n',
    );
    expect(csvText(['name', 'count'], [])).toBe('name,count\r\n');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+44', "'+44"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    [' =cmd', "' =cmd"],
    ['\t=x', "'\t=x"],
    ['\r=x', '"\'\r=x"'],
    ['＝1', "'＝1"],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['1=1', '1=1'],
    ['Ministry - of', 'Ministry - of'],
  ])('escapes formulas: %j', (text, cell) => {
    expect(csvText(['a'], [{ a: text }])).toBe(`a\r\n${cell}\r\n`);
  });

  it('round-trips any text, except for the apostrophe', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 2 })), (cells) => {
        const text = csvText(
          ['a', 'b'],
          cells.map(([a, b]) => ({ a, b })),
        );
        const plain = (table: string[][]) => table.map((row) => row.map((cell) => cell.replace(/^'/, '')));
        expect(plain(parse(text).slice(1))).toEqual(plain(cells));
      }),
    );
  });
});

/** A minimal parser for RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (quoted && char === '"' && text[index + 1] === '"') {
      cell += '"';
      index += 1;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && char === ',') {
      row.push(cell);
      cell = '';
    } else if (!quoted && char === '\r') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
      index += 1;
    } else cell += char;
  }
  return rows;
}

describe('prefersCsv', () => {
  const http = Fastify();
  http.register(accepts);
  http.get('/', async (request, reply) => reply.send(JSON.stringify(prefersCsv(request))));

  it.each([
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['text/html', false],
    ['text/csv', true],
    ['TEXT/CSV; charset=utf-8', true],
    ['text/csv, */*;q=0.1', true],
    ['text/csv, application/json', true],
    ['application/json, text/csv', false],
    ['application/json;q=0.5, text/csv', true],
    ['text/csv;q=0', false],
    ['text/csv;q=nonsense', false],
    ['text/*', true],
    ['text/*, */*', true],
    ['text/csv, */*', true],
    ['*/*, text/csv', true],
    ['text/csv;q=0.5, */*', false],
    ['text/csv;q=0, */*', false],
    ['text/csv;q=0, text/*', false],
    ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', false],
  ])('%s: %s', async (accept, expected) => {
    const response = await http.inject({ url: '/', headers: accept === undefined ? {} : { accept } });
    expect(response.json()).toBe(expected);
  });
});
