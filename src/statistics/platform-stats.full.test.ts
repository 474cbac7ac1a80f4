import { beforeAll, describe, expect, it } from 'vitest';
import { type PastMessage, somePastMessages } from '../../test/kit/builders/messages.ts';
import { anOrganisation, aService } from '../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';
import type { Channel } from '../protocol/channels.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const reports = [
  'data-for-billing-report',
  'data-for-dvla-billing-report',
  'daily-volumes-report',
  'daily-sms-provider-volumes-report',
  'volumes-by-service',
];
const stats = (path: string, query = '') => harness.admin('GET', `/platform-stats${path}${query}`);
const range = (start: string, end: string) => `?start_date=${start}&end_date=${end}`;
const refused = (message: string) => ({ status: 400, body: { message, status_code: 400 } });
const format = 'Input must be a date in the format: YYYY-MM-DD';
const reversed = 'Start date must be before end date';
const oneYear = 'Date must be in a single financial year.';

function sms(service_id: string, created_at: string, more: Partial<PastMessage> = {}): PastMessage {
  return { service_id, notification_type: 'sms', status: 'delivered', created_at, ...more };
}
function letter(service_id: string, created_at: string, more: Partial<PastMessage> = {}): PastMessage {
  return { service_id, notification_type: 'letter', status: 'sending', created_at, ...more };
}

async function allowance(service_id: string, free_sms_fragment_limit: number, financial_year_start: number) {
  await harness.app.db
    .insertInto('annual_allowances')
    .values({ service_id, financial_year_start, free_sms_fragment_limit, created_at: '2026-01-01T00:00:00Z' })
    .execute();
}

describe.each(['', ...reports.map((name) => `/${name}`)])('the dates of /platform-stats%s', (path) => {
  it.each([
    '22-01-2019',
    'not-date',
    '1234-56-78',
    '2019-02-30',
    '2019-1-1',
    '',
    '0000-01-01',
    '2019-01-01T00:00',
    '%00',
  ])('400 for "%s", whichever of the two it is', async (bad) => {
    expect(await stats(path, range(bad, '2019-04-01'))).toMatchObject(refused(format));
    expect(await stats(path, range('2019-04-01', bad))).toMatchObject(refused(format));
  });

  it('400 when the start is after the end, before the check of the financial year', async () => {
    expect(await stats(path, range('2019-08-01', '2019-06-01'))).toMatchObject(refused(reversed));
    expect(await stats(path, range('2020-04-01', '2019-03-31'))).toMatchObject(refused(reversed));
    expect(await stats(path, range('2020-04-01', 'x'))).toMatchObject(refused(format));
  });

  it('200 when they are equal', async () => {
    expect((await stats(path, range('2019-06-01', '2019-06-01'))).status).toBe(200);
  });

  it('400 for a date given twice', async () => {
    expect(await stats(path, '?start_date=2019-01-01&start_date=2019-01-02&end_date=2019-01-03')).toMatchObject(
      refused(format),
    );
  });

  it('401 without a token, in the format of the admin API', async () => {
    const response = await harness.request({ method: 'GET', url: `/platform-stats${path}` });
    expect(response).toMatchObject({
      status: 401,
      body: { result: 'error', message: { token: ['Unauthorized: authentication token must be provided'] } },
    });
  });
});

describe.each(reports)('the dates of /platform-stats/%s', (name) => {
  it.each(['', '?start_date=2019-04-01', '?end_date=2019-04-01'])('400 for "%s"', async (query) => {
    expect(await stats(`/${name}`, query)).toMatchObject(refused(format));
  });
});

describe.each(['data-for-billing-report', 'data-for-dvla-billing-report'])('the year of /platform-stats/%s', (name) => {
  it.each([
    ['2019-04-01', '2019-06-30'],
    ['2019-01-01', '2019-03-31'],
    ['2019-12-01', '2020-02-28'],
  ])('200 for %s to %s', async (start, end) => {
    expect((await stats(`/${name}`, range(start, end))).status).toBe(200);
  });

  it.each([
    ['2019-03-31', '2019-04-01'],
    ['2019-01-01', '2019-04-30'],
    ['2019-04-01', '2020-06-30'],
  ])('400 for %s to %s', async (start, end) => {
    expect(await stats(`/${name}`, range(start, end))).toMatchObject(refused(oneYear));
  });
});

describe('unknown statistics', () => {
  it('404 with message and status_code, also for other printers', async () => {
    for (const path of ['/data-for-other-billing-report', '/nothing', '/data-for-DVLA-billing-report']) {
      const { status, body } = await stats(path, range('2019-04-01', '2019-04-01'));
      expect(status).toBe(404);
      expect(Object.keys(body)).toEqual(['message', 'status_code']);
    }
  });
});

describe('GET /platform-stats', () => {
  const none = {
    total: 0,
    delivered: 0,
    failed: 0,
    requested: 0,
    'technical-failure': 0,
    'temporary-failure': 0,
    'permanent-failure': 0,
  };

  it('200 returns zeros without messages', async () => {
    const { status, body } = await stats('', range('2001-01-01', '2001-12-31'));
    expect(status).toBe(200);
    expect(body).toEqual({ email: none, sms: none, letter: none });
  });

  it('200 defaults to today in London; groups by status; excludes test keys', async () => {
    const service = await aService(harness);
    harness.clock.set('2027-06-07T23:30:00Z');
    const of = (notification_type: Channel, ...statuses: PastMessage['status'][]) =>
      statuses.map((status) => ({
        service_id: service,
        notification_type,
        status,
        created_at: '2027-06-07T23:10:00Z',
      }));
    await somePastMessages(harness, [
      ...of('sms', 'created', 'sending', 'sent', 'delivered', 'pending', 'temporary-failure', 'permanent-failure'),
      ...of('sms', 'technical-failure', 'technical-failure'),
      ...of('letter', 'validation-failed', 'virus-scan-failed', 'cancelled', 'returned-letter'),
      ...of('email', 'delivered').map((message) => ({ ...message, key_type: 'test' as const })),
      ...of('email', 'delivered').map((message) => ({ ...message, key_type: 'team' as const })),
      sms(service, '2027-06-07T22:59:59Z'),
    ]);
    const today = {
      sms: {
        total: 9,
        requested: 9,
        delivered: 2,
        failed: 4,
        'technical-failure': 2,
        'temporary-failure': 1,
        'permanent-failure': 1,
      },
      letter: { ...none, total: 4, requested: 3, failed: 2 },
      email: { ...none, total: 1, requested: 1, delivered: 1 },
    };
    expect((await stats('')).body).toEqual(today);
    expect((await stats('', '?start_date=2027-06-08')).body).toEqual(today);
    expect((await stats('', range('2027-06-07', '2027-06-08'))).body.sms).toMatchObject({ total: 10, delivered: 3 });
    expect(await stats('', '?start_date=2027-06-09')).toMatchObject(refused(reversed));
    await harness.addTask('fold-rollups');
    harness.clock.set('2027-06-09T12:00:00Z');
    await harness.runTasks();
    expect((await stats('', range('2027-06-08', '2027-06-08'))).body).toEqual(today);
    harness.clock.set('2026-11-15T12:00:00Z');
  });
});

describe('GET /platform-stats/data-for-billing-report', () => {
  it('200 lists services with costs, by organisation and name', async () => {
    const zebra = await anOrganisation(harness, { name: 'Zebra' });
    const apple = await anOrganisation(harness, { name: 'apple' });
    await harness.app.db
      .updateTable('organisations')
      .set({
        purchase_order_number: 'org-po',
        billing_contact_names: 'Org contact',
        billing_contact_email_addresses: 'org@example.org',
        billing_reference: 'org-ref',
      })
      .where('id', '=', zebra)
      .execute();
    const service = (name: string, more = {}) => aService(harness, { name, ...more });
    const alone = await service('Alone', { restricted: true });
    const second = await service('Second of Zebra', { organisation_id: zebra });
    const first = await service('First of Zebra', { organisation_id: zebra, active: false });
    const ofApple = await service('Of apple', { organisation_id: apple });
    const free = await service('Free');
    const onlyEmail = await service('Only email');
    await harness.app.db
      .updateTable('services')
      .set({ purchase_order_number: 'own-po', billing_reference: 'own-ref' })
      .where('id', '=', second)
      .execute();
    await allowance(alone, 4, 2026);
    await allowance(second, 0, 2026);
    await allowance(free, 100, 2026);
    await somePastMessages(harness, [
      sms(alone, '2026-04-30T12:00:00Z', { billable_units: 3 }),
      sms(alone, '2026-05-31T22:59:59Z', { billable_units: 2, rate_multiplier: 2 }),
      sms(alone, '2026-06-30T23:00:00Z', { billable_units: 50 }),
      sms(second, '2026-05-10T12:00:00Z'),
      ...Array.from({ length: 3 }, () => letter(second, '2026-05-02T12:00:00Z', { postage: 'europe' })),
      letter(second, '2026-05-03T12:00:00Z', { postage: 'europe', billable_units: 2 }),
      letter(second, '2026-05-03T12:00:00Z', { postage: 'rest-of-world', billable_units: 2 }),
      letter(first, '2026-05-10T12:00:00Z', { status: 'delivered' }),
      letter(ofApple, '2026-05-10T12:00:00Z', { billable_units: 5, postage: 'first', status: 'returned-letter' }),
      letter(ofApple, '2026-05-10T12:00:00Z', { status: 'cancelled' }),
      sms(free, '2026-05-10T12:00:00Z', { billable_units: 100 }),
      { ...sms(onlyEmail, '2026-05-10T12:00:00Z'), notification_type: 'email' },
    ]);
    const noServices = {
      purchase_order_number: null,
      contact_names: null,
      contact_email_addresses: null,
      billing_reference: null,
    };
    const { status, body } = await stats('/data-for-billing-report', range('2026-05-01', '2026-05-31'));
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        organisation_id: zebra,
        organisation_name: 'Zebra',
        service_id: first,
        service_name: 'First of Zebra',
        sms_cost: 0,
        sms_chargeable_units: 0,
        total_letters: 1,
        letter_cost: 0.73,
        letter_breakdown: '1 second class letters at 73p\n',
        purchase_order_number: 'org-po',
        contact_names: 'Org contact',
        contact_email_addresses: 'org@example.org',
        billing_reference: 'org-ref',
      },
      {
        organisation_id: zebra,
        organisation_name: 'Zebra',
        service_id: second,
        service_name: 'Second of Zebra',
        sms_cost: 0.024,
        sms_chargeable_units: 1,
        total_letters: 5,
        letter_cost: 8.84,
        letter_breakdown: '3 international letters at £1.72\n2 international letters at £1.84\n',
        purchase_order_number: 'own-po',
        contact_names: 'Org contact',
        contact_email_addresses: 'org@example.org',
        billing_reference: 'own-ref',
      },
      {
        organisation_id: apple,
        organisation_name: 'apple',
        service_id: ofApple,
        service_name: 'Of apple',
        sms_cost: 0,
        sms_chargeable_units: 0,
        total_letters: 1,
        letter_cost: 1.76,
        letter_breakdown: '1 first class letters at £1.76\n',
        ...noServices,
      },
      {
        organisation_id: '',
        organisation_name: '',
        service_id: alone,
        service_name: 'Alone',
        // April used 3 of 4 free units, so 3 of May's 4 units are charged.
        sms_cost: 0.072,
        sms_chargeable_units: 3,
        total_letters: 0,
        letter_cost: 0,
        letter_breakdown: '',
        ...noServices,
      },
    ]);
  });

  it('200 as CSV with Accept: text/csv', async () => {
    const service = await aService(harness, { name: '=cmd|"x"' });
    await allowance(service, 0, 2018);
    await somePastMessages(harness, [
      letter(service, '2019-01-10T12:00:00Z'),
      letter(service, '2019-01-10T12:00:00Z', { postage: 'first', billable_units: 3 }),
    ]);
    const response = await harness.request({
      method: 'GET',
      url: `/platform-stats/data-for-billing-report${range('2019-01-01', '2019-01-31')}`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, accept: 'text/csv' },
    });
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(response.headers['content-disposition']).toBe(
      'attachment; filename="data-for-billing-report-2019-01-01-to-2019-01-31.csv"',
    );
    expect(response.headers.vary).toBe('Accept');
    expect(response.text).toBe(
      [
        'organisation_id,organisation_name,service_id,service_name,sms_cost,sms_chargeable_units,total_letters,letter_cost,' +
          'letter_breakdown,purchase_order_number,contact_names,contact_email_addresses,billing_reference\r\n',
        `,,${service},"'=cmd|""x""",0,0,2,0.96,"1 second class letters at 30p\n1 first class letters at 66p\n",,,,\r\n`,
      ].join(''),
    );
  });

  it('400 as JSON even with Accept: text/csv', async () => {
    const response = await harness.request({
      method: 'GET',
      url: '/platform-stats/data-for-billing-report',
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, accept: 'text/csv' },
    });
    expect(response).toMatchObject(refused(format));
  });
});

describe('GET /platform-stats/data-for-dvla-billing-report', () => {
  beforeAll(async () => {
    const service_id = await aService(harness);
    const despatched = (despatched_on: string, postage: 'first' | 'second' | 'europe', sheets: number, more = {}) => ({
      notification_id: newId(harness.clock.now()),
      service_id,
      despatched_on,
      postage,
      sheets,
      cost_threshold: 'unsorted' as const,
      created_at: '2026-01-04T12:00:00Z',
      ...more,
    });
    const rows = [
      despatched('2026-01-05', 'second', 1, { cost_threshold: 'sorted' }),
      despatched('2026-01-05', 'second', 1, { cost_threshold: 'sorted' }),
      despatched('2026-01-05', 'second', 2),
      despatched('2026-01-05', 'first', 5),
      despatched('2026-01-04', 'second', 1),
      despatched('2026-01-04', 'europe', 1),
      despatched('2025-03-31', 'europe', 1),
    ];
    await harness.app.db.insertInto('letter_despatches').values(rows).execute();
    // A repeated report of the printer is not counted twice.
    await harness.app.db
      .insertInto('letter_despatches')
      .values(rows)
      .onConflict((conflict) => conflict.column('notification_id').doNothing())
      .execute();
  });

  it('200 by date, postage, threshold, rate and sheets', async () => {
    const { status, body } = await stats('/data-for-dvla-billing-report', range('2026-01-01', '2026-03-31'));
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        date: '2026-01-04',
        postage: 'europe',
        cost_threshold: 'unsorted',
        sheets: 1,
        rate: 1.56,
        letters: 1,
        cost: 1.56,
      },
      {
        date: '2026-01-04',
        postage: 'second',
        cost_threshold: 'unsorted',
        sheets: 1,
        rate: 0.68,
        letters: 1,
        cost: 0.68,
      },
      {
        date: '2026-01-05',
        postage: 'first',
        cost_threshold: 'unsorted',
        sheets: 5,
        rate: 1.67,
        letters: 1,
        cost: 1.67,
      },
      {
        date: '2026-01-05',
        postage: 'second',
        cost_threshold: 'sorted',
        sheets: 1,
        rate: 0.73,
        letters: 2,
        cost: 1.46,
      },
      {
        date: '2026-01-05',
        postage: 'second',
        cost_threshold: 'unsorted',
        sheets: 2,
        rate: 0.77,
        letters: 1,
        cost: 0.77,
      },
    ]);
    expect((await stats('/data-for-dvla-billing-report', range('2026-02-01', '2026-02-02'))).body).toEqual([]);
  });
});

describe('GET /platform-stats/daily-volumes-report', () => {
  const one = {
    sms_totals: 1,
    sms_fragment_totals: 1,
    sms_chargeable_units: 1,
    email_totals: 0,
    letter_totals: 0,
    letter_sheet_totals: 0,
  };

  it('200 lists London days with messages, across clock changes', async () => {
    const service = await aService(harness);
    await somePastMessages(harness, [
      sms(service, '2022-03-26T23:59:59Z'),
      sms(service, '2022-03-27T00:00:00Z', { billable_units: 2, rate_multiplier: 3 }),
      sms(service, '2022-03-27T22:59:59Z', { billable_units: 2 }),
      { ...sms(service, '2022-03-27T12:00:00Z'), notification_type: 'email' },
      letter(service, '2022-03-27T12:00:00Z', { billable_units: 3 }),
      letter(service, '2022-03-27T12:00:00Z', { billable_units: 1 }),
      sms(service, '2022-03-27T23:00:00Z', { status: 'created' }),
      sms(service, '2022-03-28T23:00:00Z'),
      sms(service, '2022-10-29T22:59:59Z'),
      sms(service, '2022-10-29T23:00:00Z'),
      sms(service, '2022-10-30T23:59:59Z'),
      sms(service, '2022-10-31T00:00:00Z', { key_type: 'test' }),
    ]);
    const { status, body } = await stats('/daily-volumes-report', range('2022-01-01', '2022-12-31'));
    expect(status).toBe(200);
    expect(body).toEqual([
      { ...one, day: '2022-03-26' },
      {
        day: '2022-03-27',
        sms_totals: 2,
        sms_fragment_totals: 4,
        sms_chargeable_units: 8,
        email_totals: 1,
        letter_totals: 2,
        letter_sheet_totals: 4,
      },
      { ...one, day: '2022-03-29' },
      { ...one, day: '2022-10-29' },
      { ...one, day: '2022-10-30', sms_totals: 2, sms_fragment_totals: 2, sms_chargeable_units: 2 },
    ]);
  });

  it('200 starts a summer day at 23:00 UTC of the day before', async () => {
    const service = await aService(harness);
    await somePastMessages(harness, [
      sms(service, '2018-06-06T22:59:59.999Z'),
      sms(service, '2018-06-06T23:00:00Z', { billable_units: 2 }),
      sms(service, '2018-06-07T22:59:59.999Z', { billable_units: 3 }),
      sms(service, '2018-06-07T23:00:00Z'),
    ]);
    const { body } = await stats('/daily-volumes-report', range('2018-06-07', '2018-06-07'));
    expect(body).toEqual([
      { ...one, day: '2018-06-07', sms_totals: 2, sms_fragment_totals: 5, sms_chargeable_units: 5 },
    ]);
    const around = await stats('/daily-volumes-report', range('2018-06-06', '2018-06-08'));
    expect(around.body.map(({ day, sms_totals }: { day: string; sms_totals: number }) => [day, sms_totals])).toEqual([
      ['2018-06-06', 1],
      ['2018-06-07', 2],
      ['2018-06-08', 1],
    ]);
  });
});

describe('GET /platform-stats/daily-sms-provider-volumes-report', () => {
  it('200 by day and provider, without the free allowance', async () => {
    const service = await aService(harness);
    await allowance(service, 1_000_000, 2023);
    await somePastMessages(harness, [
      sms(service, '2023-03-31T12:00:00Z', { provider: 'mmg', billable_units: 2, rate_multiplier: 5 }),
      sms(service, '2023-04-01T12:00:00Z', { provider: 'mmg' }),
      sms(service, '2023-04-01T12:00:00Z', { provider: 'firetext', billable_units: 3 }),
      sms(service, '2023-04-01T12:00:00Z', { provider: null }),
      { ...sms(service, '2023-04-01T12:00:00Z'), notification_type: 'email' },
    ]);
    const { status, body } = await stats('/daily-sms-provider-volumes-report', range('2023-03-01', '2023-04-30'));
    expect(status).toBe(200);
    const day = (
      date: string,
      provider: string,
      totals: number,
      fragments: number,
      units: number,
      sms_cost: number,
    ) => ({
      day: date,
      provider,
      sms_totals: totals,
      sms_fragment_totals: fragments,
      sms_chargeable_units: units,
      sms_cost,
    });
    expect(body).toEqual([
      day('2023-03-31', 'mmg', 1, 2, 10, 0.172),
      day('2023-04-01', 'firetext', 1, 3, 3, 0.0591),
      day('2023-04-01', 'mmg', 1, 1, 1, 0.0197),
      day('2023-04-01', 'unknown', 1, 1, 1, 0.0197),
    ]);
  });
});

describe('GET /platform-stats/volumes-by-service', () => {
  it('200 lists live services by organisation and name, including those without messages', async () => {
    const organisation = await anOrganisation(harness, { name: 'An organisation of 2021' });
    const service = (name: string, more = {}) => aService(harness, { name, ...more });
    const busy = await service('A busy one of 2021');
    const silent = await service('A silent one of 2021', { organisation_id: organisation });
    const later = await service('One of 2030');
    const unknown = await service('One without an allowance', { organisation_type: 'local' });
    const trial = await service('On trial', { restricted: true });
    const archived = await service('Archived by 2021', { active: false });
    const uncounted = await service('Not counted');
    await harness.app.db.updateTable('services').set({ count_as_live: false }).where('id', '=', uncounted).execute();
    for (const id of [busy, silent, trial, archived, uncounted]) await allowance(id, 11, 2021);
    await allowance(busy, 12, 2022);
    await allowance(busy, 13, 2023);
    await allowance(later, 14, 2030);
    const day = '2022-02-10T12:00:00Z';
    await somePastMessages(harness, [
      sms(busy, day, { billable_units: 2, rate_multiplier: 3 }),
      sms(busy, day),
      { ...sms(busy, day), notification_type: 'email' },
      letter(busy, day, { billable_units: 2 }),
      letter(busy, '2022-03-01T12:00:00Z', { billable_units: 3 }),
      sms(unknown, day),
      sms(trial, day),
      sms(archived, day),
      sms(uncounted, day),
    ]);
    const { status, body } = await stats('/volumes-by-service', range('2022-02-01', '2022-03-31'));
    expect(status).toBe(200);
    const nothing = {
      sms_notifications: 0,
      sms_chargeable_units: 0,
      email_totals: 0,
      letter_totals: 0,
      letter_sheet_totals: 0,
      letter_cost: 0,
    };
    const without = { organisation_id: '', organisation_name: '' };
    const [first, ...rest] = body;
    expect(first).toEqual({
      ...nothing,
      service_id: silent,
      service_name: 'A silent one of 2021',
      organisation_id: organisation,
      organisation_name: 'An organisation of 2021',
      free_allowance: 11,
    });
    const ours = [busy, silent, later, unknown, trial, archived, uncounted];
    expect(rest.filter((row: { service_id: string }) => ours.includes(row.service_id))).toEqual([
      {
        service_id: busy,
        service_name: 'A busy one of 2021',
        ...without,
        // The allowance of the calendar year of the last day.
        free_allowance: 12,
        sms_notifications: 2,
        sms_chargeable_units: 7,
        email_totals: 1,
        letter_totals: 2,
        letter_sheet_totals: 5,
        letter_cost: 0.95,
      },
      {
        ...nothing,
        service_id: unknown,
        service_name: 'One without an allowance',
        ...without,
        free_allowance: 20_000,
        sms_notifications: 1,
        sms_chargeable_units: 1,
      },
    ]);
  });

  it.each(reports)('200 returns only a header without data: %s', async (name) => {
    const response = await harness.request({
      method: 'GET',
      url: `/platform-stats/${name}${range('2002-01-01', '2002-01-31')}`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, accept: 'text/csv' },
    });
    expect(response.status).toBe(200);
    expect(response.text).toMatch(/^[a-z_,]+\r\n$/);
    expect((await stats(`/${name}`, range('2002-01-01', '2002-01-31'))).body).toEqual([]);
  });

  it('200 for the widest possible range', async () => {
    for (const name of reports.slice(2)) {
      expect((await stats(`/${name}`, range('0001-01-01', '9999-12-31'))).status).toBe(200);
    }
  });
});
