import { expect, inject, it } from 'vitest';
import { createLog } from '../log.ts';
import { openDatabase } from './pool.ts';
import { RowWriter } from './row-writer.ts';

interface Example {
  id: string | null;
  words: string | null;
  kept: unknown;
  large: number | null;
  small: number | null;
  yes: boolean;
  day: string;
  moment: string | null;
}

const example: Example = {
  id: '01932e5c-7d3b-7abc-8def-0123456789ab',
  words: 'Tea at five',
  kept: { name: 'Zoë', list: [1, 'two', null] },
  large: -2_147_483_648,
  small: 32_767,
  yes: true,
  day: '2026-11-15',
  moment: '2026-11-15T02:23:57.123456Z',
};

const writer = new RowWriter();

function rowOf({ id, words, kept, large, small, yes, day, moment }: Example): Buffer {
  writer.begin(8);
  writer.uuid(id);
  writer.text(words);
  writer.jsonb(kept);
  writer.int4(large);
  writer.int2(small);
  writer.boolean(yes);
  writer.date(day);
  writer.timestamptz(moment);
  return writer.end();
}

async function readBack(rows: Buffer[]): Promise<unknown[]> {
  const { pool, close } = openDatabase({ url: inject('databaseUrl'), poolSize: 1, log: createLog('silent') });
  try {
    await pool.query(`create type pg_temp.example as (id uuid, words text, kept jsonb, large integer, small smallint,
      yes boolean, day date, moment timestamptz)`);
    return (await pool.query('select * from unnest($1::pg_temp.example[])', [writer.array(rows)])).rows;
  } finally {
    await close();
  }
}

it('writes rows that the database reads back unchanged', async () => {
  const examples = [
    example,
    { ...example, id: null, words: null, large: null, small: null, yes: false, moment: null },
    { ...example, words: '', kept: {}, large: 0, small: -1, day: '1999-12-31', moment: '1969-07-20T20:17:40.000001Z' },
    { ...example, words: 'Grüße, 你好 👋', kept: { 'a\\u0000b': '\\ud800 "quoted"\n👋' }, day: '2024-02-29' },
    ...[47, 48, 49, 70_000, 200_000].map((length) => ({
      ...example,
      words: 'ü'.repeat(length),
      kept: 'x'.repeat(length),
    })),
  ];
  expect(await readBack(examples.map(rowOf))).toEqual(examples);
});

it('writes more rows than one slab holds, and none', async () => {
  const examples = Array.from({ length: 1_000 }, (_, number) => ({ ...example, large: number }));
  expect(await readBack(examples.map(rowOf))).toEqual(examples);
  expect(await readBack([])).toEqual([]);
});

it('uses the memory of stored rows again', async () => {
  writer.rewind();
  const stored = writer.array([rowOf(example)]);
  writer.rewind();
  const others = Array.from({ length: 3 }, (_, number) => ({ ...example, small: number }));
  const rows = others.map(rowOf);
  expect(rows.map(({ buffer }) => buffer)).toEqual(Array(3).fill(stored.buffer));
  expect(await readBack(rows)).toEqual(others);
});

it('takes ids in upper case and without hyphens, and throws for anything else', async () => {
  const id = (example.id ?? '').toUpperCase();
  const rows = [id, id.replaceAll('-', '')].map((written) => rowOf({ ...example, id: written }));
  expect(await readBack(rows)).toEqual([example, example]);
  for (const wrong of ['', id.slice(1), `${id}0`, `${id}00`, id.replace('E', 'ü'), id.replace('E', 'g')]) {
    expect(() => rowOf({ ...example, id: wrong }), wrong).toThrow('Not a UUID');
  }
});

it.each([
  ['NUL', '\0'],
  ['the first half of a pair', '\ud83d'],
  ['the second half of a pair', '\udc4b'],
  ['the first half in a long text', `${'x'.repeat(100)}\ud83d`],
])('says that the database cannot store %s', (_what, character) => {
  for (const unstorable of [
    { words: `a${character}` },
    { kept: { a: [`${character}b`] } },
    { kept: { [character]: 1 } },
  ]) {
    rowOf({ ...example, ...unstorable });
    expect(writer.isStorable).toBe(false);
  }
  rowOf(example);
  expect(writer.isStorable).toBe(true);
});
