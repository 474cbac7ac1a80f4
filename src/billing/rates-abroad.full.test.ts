import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { anApiKey, anOrganisation, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { storedMessage } from '../../test/kit/builders/sends.ts';
import { adminToken, useHarness } from '../../test/kit/harness.ts';
import { databaseNamed } from '../../test/kit/process/database-url.ts';
import { runCommand } from '../../test/kit/process/run-command.ts';
import { aPerson, signedIn } from '../../test/kit/world/console-people.ts';
import { problemsOfProfile } from '../countries/loading/profile-problems.ts';
import type { CountryProfile } from '../countries/profile.ts';
import { us } from '../countries/us.ts';
import { inTransaction } from '../platform/db/database.ts';
import { seedRates } from './rates.seed.ts';
import { hasOwnRates } from './rates.ts';

const prices = { ...us.prices, sms: [{ from: '2026-01-01T00:00Z', rate: '0.05' }] };
const now = '2026-11-16T12:00:00Z';
const american = useHarness({ now, country: { ...us, prices } });
const careful = useHarness({ now, country: { ...us, prices, phone: { ...us.phone, abroad: 'rates-only' } } });
const generous = useHarness({ now, country: { ...us, prices, phone: { ...us.phone, abroad: { multiplier: 3 } } } });
const seededProfile: CountryProfile = {
  ...us,
  prices,
  phone: {
    ...us.phone,
    abroad: {
      table: [
        { prefix: '49', multiplier: 2, from: '2026-01-01T05:00Z' },
        { prefix: '1:JM', multiplier: 7, receipts: false, numericSender: true, from: '2026-01-01T00:00Z' },
      ],
    },
  },
};
const seeded = useHarness({ now, country: seededProfile });
const british = useHarness({ now });
const folder = mkdtempSync(join(tmpdir(), 'pennypost-rates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const jamaican = '+1 876 210 1234';
const german = '+49 1512 3456789';
const permissions = ['sms', 'international_sms'];

async function aSender(harness: typeof american) {
  const organisation_id = await anOrganisation(harness);
  const service = await aService(harness, { permissions, organisation_id });
  const key = await anApiKey(harness, service);
  const template_id = await aTemplate(harness, service, { content: 'Hello' });
  const send = (phone_number: string) =>
    harness.v2('POST', '/v2/notifications/sms', key, { phone_number, template_id });
  const multiplierOf = async (phone_number: string) =>
    (await storedMessage(harness, (await send(phone_number)).body.id))?.rate_multiplier;
  return { service, organisation_id, key, template_id, send, multiplierOf };
}

async function importRates(harness: typeof american, csv: string, ...flags: string[]) {
  const path = join(folder, 'abroad.csv');
  writeFileSync(path, csv);
  const { rows } = await harness.app.pool.query('select current_database() as name');
  vi.stubEnv('DATABASE_URL', databaseNamed(harness.serverUrl, rows[0].name));
  // Vite sets it for pages.
  vi.stubEnv('BASE_URL', undefined);
  const result = await runCommand(['rates', 'import', path, ...flags]);
  await harness.app.changeListener.catchUp();
  return result;
}

const storedRates = (harness: typeof american) =>
  harness.app.db.selectFrom('rates_abroad').selectAll().orderBy('prefix').orderBy('valid_from').execute();

describe('pennypost rates import', () => {
  it('reports every problem with its line, and changes nothing', async () => {
    const csv = [
      'prefix,multiplier,receipts,numeric_sender,from',
      '49,2,yes,no,2026-01-01',
      '999,2,yes,no,2026-01-01',
      '1:DE,2,yes,no,2026-01-01',
      '1:US,2,yes,no,2026-01-01',
      '33,1.5,perhaps,no,tomorrow',
      '49,3,,,2026-01-01',
      '',
      '34,0,,,2026-01-01',
    ].join('\n');
    const { code, err } = await importRates(american, csv);
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toEqual([
      'Line 3: prefix: Enter a country calling code such as 49, or one with a region such as 1:JM.',
      'Line 4: prefix: Numbers of DE do not begin with 1.',
      'Line 5: prefix: Numbers at home have the text rate.',
      'Line 6: multiplier: write a whole number from 1 to 1000, or nothing where a rate ends, not "1.5".',
      'Line 6: from: write a day as year, month and day, such as 2027-04-01, not "tomorrow".',
      'Line 6: receipts: write yes or no, not "perhaps".',
      'Line 7: line 2 has the same prefix and day.',
      'Line 9: multiplier: write a whole number from 1 to 1000, or nothing where a rate ends, not "0".',
      'Nothing was changed.',
    ]);
    expect(await storedRates(american)).toEqual([]);
  });

  it.each([
    ['prefix,price\n49,2', /Line 1: the column multiplier is missing.*\nLine 1: the column from is missing.*"price"/s],
    ['prefix,multiplier,from\n', /The file has no rates/],
    [`prefix,multiplier,from\n${'49,2,2026-01-01\n'.repeat(5_001)}`, /no more than 5,000 rows/],
    ['', /no rates|missing|empty|text/],
  ])('refuses a file without a table of rates', async (csv, problem) => {
    const { code, err } = await importRates(american, csv);
    expect([code, err]).toEqual([1, expect.stringMatching(problem)]);
  });

  it('is refused where the country has a table of its own', async () => {
    const { code, err } = await importRates(british, 'prefix,multiplier,from\n49,2,2026-01-01\n');
    expect([code, err]).toEqual([1, expect.stringContaining('its phone.abroad is "gb-table". Nothing was changed.')]);
  });

  it('explains itself', async () => {
    const { out } = await runCommand(['rates', '--help'], {});
    expect(out).toContain('pennypost rates <import> <file>');
    expect(out).toContain('--dry-run');
  });
});

describe('texts to other countries', () => {
  it('count as texts at home, with no known price, until there are rates', async () => {
    const { send, key, service, organisation_id } = await aSender(american);
    const { body } = await send(german);
    await american.deliver();
    const sent = await american.v2('GET', `/v2/notifications/${body.id}`, key);
    expect(sent.body).toMatchObject({
      cost_in_pounds: 0.05,
      is_cost_data_ready: true,
      price_known: false,
      currency: 'USD',
      cost_details: { billable_sms_fragments: 1, international_rate_multiplier: 1, sms_rate: 0.05 },
    });
    const home = await send('+1 202 555 0104');
    await american.deliver();
    const atHome = await american.v2('GET', `/v2/notifications/${home.body.id}`, key);
    expect(atHome.body).toMatchObject({ cost_in_pounds: 0.05 });
    expect(atHome.body).not.toHaveProperty('price_known');
    const monthly = await american.admin('GET', `/service/${service}/billing/monthly-usage?year=2026`);
    expect(monthly.body).toEqual([
      expect.objectContaining({ month: 'November', notifications_sent: 2, cost: 0.1, price_known: false }),
    ]);
    const yearly = await american.admin('GET', `/service/${service}/billing/yearly-usage-summary?year=2026`);
    expect(yearly.body).toEqual([expect.objectContaining({ chargeable_units: 2, cost: 0.1, price_known: false })]);
    const usage = await american.admin('GET', `/organisations/${organisation_id}/services-with-usage?year=2026`);
    expect(usage.body).toMatchObject({ price_known: false, services: [{ sms_cost: 0.1 }] });
  });

  it('cost what the rate of their region says, else that of their calling code, from its day on', async () => {
    const csv = [
      'Prefix;Multiplier;Receipts;Numeric sender;From',
      '+49;2;;;2026-01-01',
      '49;4;no;yes;2026-12-01',
      '1;5;;;2026-01-01',
      '1:JM;7;yes;no;2026-01-01',
      '33;2;;;2026-01-01',
      '33;;;;2026-02-01',
    ].join('\r\n');
    const { multiplierOf, send, key } = await aSender(american);
    expect(await multiplierOf(german)).toBe(1);
    const dry = await importRates(american, csv, '--dry-run');
    expect([dry.code, dry.out]).toEqual([0, 'Would add 6, change 0, left 0 as they were.\n']);
    expect(await storedRates(american)).toEqual([]);
    expect((await importRates(american, csv)).out).toBe('Added 6, changed 0, left 0 as they were.\n');
    expect((await importRates(american, csv)).out).toBe('Added 0, changed 0, left 6 as they were.\n');
    const entry = await american.app.db
      .selectFrom('audit_log')
      .select(['noun', 'after'])
      .where('noun', '=', 'rate_abroad')
      .execute();
    expect(entry).toEqual([{ noun: 'rate_abroad', after: { added: 6, changed: 0, unchanged: 0 } }]);
    expect(await multiplierOf(german)).toBe(2);
    expect(await multiplierOf(jamaican)).toBe(7);
    expect(await multiplierOf('+1 506 234 5678')).toBe(5);
    for (const withoutRate of ['+33 6 12 34 56 78', '+34 612 34 56 78']) {
      const { status, body } = await send(withoutRate);
      expect([status, body.errors[0].error]).toEqual([400, 'InvalidPhoneError']);
    }
    american.clock.set('2026-12-02T12:00:00Z');
    expect(await multiplierOf(german)).toBe(4);
    american.clock.set(now);

    const { body } = await send(jamaican);
    await american.deliver();
    const sent = await american.v2('GET', `/v2/notifications/${body.id}`, key);
    expect(sent.body).toMatchObject({
      cost_in_pounds: 0.35,
      cost_details: { international_rate_multiplier: 7, sms_rate: 0.05 },
    });
    expect(sent.body).not.toHaveProperty('price_known');
  });

  it('are read from the database once, not for every message', async () => {
    const { send } = await aSender(american);
    await send(german);
    let queries = 0;
    const count = () => {
      queries += 1;
    };
    american.app.pool.on('acquire', count);
    await send(german);
    const abroad = queries;
    queries = 0;
    await send('+1 202 555 0104');
    american.app.pool.off('acquire', count);
    expect(abroad).toBeLessThanOrEqual(queries);
  });

  it('have their rate in a file, too, where the profile may refuse them', async () => {
    expect((await importRates(careful, 'prefix,multiplier,from\n49,2,2026-01-01\n')).code).toBe(0);
    const { service, template_id } = await aSender(careful);
    const upload = await careful.request({
      method: 'POST',
      url: `/service/${service}/upload?${new URLSearchParams({ filename: 'people.csv', template_id })}`,
      headers: { authorization: `Bearer ${adminToken(careful.clock)}`, 'content-type': 'text/csv' },
      payload: `phone number\n${german}\n${jamaican}\n(202) 555-0104\n`,
    });
    expect(upload.status).toBe(201);
    expect(upload.body.data.rows_shown[0].problems).toEqual([
      expect.objectContaining({
        problem: 'Country code not found - double check the mobile number you entered',
      }),
    ]);
    const chunks = await careful.app.db.selectFrom('upload_chunks').select('messages').execute();
    expect(chunks.map(({ messages }) => String(messages)).join()).toContain('"rate_multiplier":2');
    await careful.app.db.deleteFrom('rates_abroad').execute();
    await careful.app.changeListener.catchUp();
  });

  it('are refused without a rate where the profile says so', async () => {
    const { send } = await aSender(careful);
    const { status, body } = await send(german);
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          error: 'InvalidPhoneError',
          message: 'Country code not found - double check the mobile number you entered',
        },
      ],
    ]);
    expect((await importRates(careful, 'prefix,multiplier,from\n49,2,2026-01-01\n')).code).toBe(0);
    expect((await send(german)).status).toBe(201);
    expect((await send(jamaican)).status).toBe(400);
  });

  it('have the price of the profile where no rate is', async () => {
    const { multiplierOf } = await aSender(generous);
    expect(await multiplierOf(german)).toBe(3);
    expect((await importRates(generous, 'prefix,multiplier,from\n49,2,2026-01-01\n')).code).toBe(0);
    expect(await multiplierOf(german)).toBe(2);
    expect(await multiplierOf(jamaican)).toBe(3);
  });
});

describe('a profile with a table of rates abroad', () => {
  const start = '2026-01-01T00:00Z';

  it('gives them to a new database, and refuses texts to other countries', async () => {
    expect(await storedRates(seeded)).toEqual([
      expect.objectContaining({ prefix: '1:JM', multiplier: 7, receipts: false, numeric_sender: true }),
      expect.objectContaining({ prefix: '49', multiplier: 2, receipts: true, numeric_sender: false }),
    ]);
    const { send, key, multiplierOf } = await aSender(seeded);
    const { body } = await send(german);
    await seeded.deliver();
    const sent = await seeded.v2('GET', `/v2/notifications/${body.id}`, key);
    expect(sent.body).toMatchObject({ cost_in_pounds: 0.1, cost_details: { international_rate_multiplier: 2 } });
    expect(sent.body).not.toHaveProperty('price_known');
    expect(await multiplierOf(jamaican)).toBe(7);
    expect((await send('+33 6 12 34 56 78')).status).toBe(400);
  });

  it('keeps what an operator has changed', async () => {
    expect((await importRates(seeded, 'prefix,multiplier,from\n49,3,2026-01-01\n')).out).toContain('changed 1');
    await inTransaction(seeded.app.db, (tx) =>
      seedRates(tx, seeded.clock.now(), seeded.app.country, seeded.app.languages),
    );
    expect((await storedRates(seeded)).map(({ multiplier }) => multiplier)).toEqual([7, 3]);
    expect(await hasOwnRates(seeded.app.db, seededProfile)).toBe(true);
  });

  it('is checked like the rest of the profile', () => {
    const table = [
      { prefix: '999', multiplier: 2, from: start },
      { prefix: '1:DE', multiplier: 2, from: 'tomorrow' },
      { prefix: '49', multiplier: 2, from: start },
      { prefix: '49', multiplier: 3, from: start },
    ];
    const problemsOf = (abroad: unknown) => problemsOfProfile({ ...us, phone: { ...us.phone, abroad } });
    expect(problemsOf({ table }).map(({ path }) => path)).toEqual([
      'phone.abroad.table[0].prefix',
      'phone.abroad.table[1].prefix',
      'phone.abroad.table[1].from',
      'phone.abroad.table[3]',
    ]);
    expect(problemsOf({ table: [{ prefix: '49', multiplier: 0, from: start }] })).toEqual([
      { path: 'phone.abroad.table[0].multiplier', text: 'must be a number from 1 to 1000' },
    ]);
    expect(problemsOf({}).map(({ path }) => path)).toEqual(['phone.abroad']);
    expect(problemsOf({ multiplier: 3, table: table.slice(2, 3) })).toEqual([]);
  });
});

describe('the page of rates', { timeout: 60_000 }, () => {
  let admin: Awaited<ReturnType<typeof signedIn>>;
  const page = '/console/operator/rates';

  beforeAll(async () => {
    const { id } = await aPerson(american, { name: 'Ada', platform_admin: true });
    admin = await signedIn(american, id);
  });

  it('adds a rate, which applies to the next text', async () => {
    const form = { prefix: '+44', multiplier: '6', valid_from: '2026-01-01' };
    const added = await admin.post(`${page}/new-abroad`, form);
    expect(added.problems).toEqual({});
    expect((await admin.get(page)).text).toContain('+44');
    const { multiplierOf } = await aSender(american);
    expect(await multiplierOf('+44 7911 123456')).toBe(6);
    const again = await admin.post(`${page}/new-abroad`, form);
    expect(again.problems).toEqual({ valid_from: 'Enter another date. There is already a rate from this one.' });
  });

  it.each([
    [{ prefix: '1:DE', multiplier: '2', valid_from: '2026-01-01' }, { prefix: 'Numbers of DE do not begin with 1.' }],
    [
      { prefix: '34', multiplier: '0', valid_from: '2026-01-01' },
      { multiplier: 'Enter a whole number from 1 to 1,000.' },
    ],
  ])('shows what is wrong beside its field', async (form, problems) => {
    expect((await admin.post(`${page}/new-abroad`, form)).problems).toEqual(problems);
  });

  it('is as it was in the United Kingdom', async () => {
    const { id } = await aPerson(british, { name: 'Ada', platform_admin: true });
    const visitor = await signedIn(british, id);
    expect((await visitor.get(page)).text).not.toContain('other countries');
    expect((await visitor.get(`${page}/new-abroad`)).status).toBe(404);
  });
});
