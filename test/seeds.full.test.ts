import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCountry } from '../src/countries/country.ts';
import { gb } from '../src/countries/gb.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { createLog } from '../src/platform/log.ts';
import { seeds } from '../src/seeds.ts';
import { emptyDatabase, type TestDatabase } from './kit/process/database.ts';

const log = createLog('silent');
let database: TestDatabase;
let client: pg.Client;

beforeEach(async () => {
  database = await emptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

/** Every row of every table with the transaction that wrote it. */
async function everyRow(): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await client.query<{ name: string }>(`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`);
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const { rows } = await client.query(`select xmin, to_jsonb(t) as row from ${name} t order by t::text`);
    if (rows.length > 0) found[name] = rows;
  }
  return found;
}

describe('the seeds', () => {
  it('fill these tables, once, however many processes start', async () => {
    await Promise.all([0, 1, 2].map(() => migrate(database.url, log, { seeds })));
    const first = await everyRow();
    expect(Object.fromEntries(Object.entries(first).map(([table, rows]) => [table, rows.length]))).toMatchObject({
      users: 1,
      services: 1,
      services_history: 1,
      service_members: 1,
      service_sms_senders: 1,
      templates: 34,
      templates_history: 34,
      default_allowances: 29,
      provider_details: 15,
      provider_details_history: 15,
      delivery_sweeps: 2,
      sms_rates: 9,
      letter_rates: 203,
    });
    await migrate(database.url, log, { seeds });
    expect(await everyRow()).toEqual(first);
  });

  it('keep what operators have changed', async () => {
    await migrate(database.url, log, { seeds });
    await client.query(`
      update services set name = 'Council messages', permissions = '{email}', sms_message_limit = 5;
      update service_sms_senders set archived = true, is_default = false;
      delete from service_members;
      update templates set content = 'Our own words ((verify_code))', version = 2
        where id = '36fb0730-6259-4da1-8a80-c8de22ad4246';
      update provider_details set priority = 7, active = false, version = 2 where identifier = 'mmg';
      update sms_rates set rate = 0.5 where valid_from = '2026-03-31T23:00Z';
      update letter_rates set rate = 9 where post_class = 'first' and sheet_count = 1;
      update delivery_sweeps set swept_until = '2026-01-01'`);
    const changed = await everyRow();
    await migrate(database.url, log, { seeds });
    expect(await everyRow()).toEqual(changed);
  });

  it('update what only the product decides', async () => {
    await migrate(database.url, log, { seeds });
    const product = 'select display_name, supports_international from provider_details order by id';
    const allowances = 'select * from default_allowances order by 1, 2';
    const before = [(await client.query(product)).rows, (await client.query(allowances)).rows];
    await client.query(`update provider_details set display_name = 'Old', supports_international = false`);
    await client.query('update default_allowances set free_sms_fragment_limit = 1');
    await migrate(database.url, log, { seeds });
    expect([(await client.query(product)).rows, (await client.query(allowances)).rows]).toEqual(before);
  });

  it('take prices and allowances from the country', async () => {
    const prices = {
      sms: [{ from: '2026-01-01T00:00Z', rate: '0.0725' }],
      letters: { second: [{ from: '2026-01-01T00:00Z', rates: ['0.91', '1.82'] }] },
      allowances: {},
      highVolume: null,
    };
    await migrate(database.url, log, { seeds, country: createCountry({ ...gb, code: 'x-own', prices }) });
    const read = async (query: string) => (await client.query({ text: query, rowMode: 'array' })).rows;
    expect(await read('select rate from sms_rates')).toEqual([['0.0725']]);
    expect(await read('select post_class, sheet_count, rate from letter_rates order by 2')).toEqual([
      ['second', 1, '0.91'],
      ['second', 2, '1.82'],
    ]);
    expect(await read('select * from default_allowances')).toEqual([]);
  });

  it('insert no prices where a country has none', async () => {
    const prices = { sms: [], letters: {}, allowances: {}, highVolume: null };
    await migrate(database.url, log, { seeds, country: createCountry({ ...gb, code: 'x-own', prices }) });
    const rows = await everyRow();
    expect([rows.sms_rates, rows.letter_rates, rows.default_allowances]).toEqual([undefined, undefined, undefined]);
  });

  it('insert what is missing', async () => {
    await migrate(database.url, log, { seeds });
    const complete = Object.entries(await everyRow()).map(([table, rows]) => [table, rows.length]);
    await client.query(`
      delete from templates_history; delete from templates; delete from delivery_sweeps; delete from sms_rates;
      delete from letter_rates where post_class = 'europe'; delete from default_allowances where valid_from_year > 2020;
      delete from provider_details_history; delete from provider_details`);
    await migrate(database.url, log, { seeds });
    expect(Object.entries(await everyRow()).map(([table, rows]) => [table, rows.length])).toEqual(complete);
  });
});
