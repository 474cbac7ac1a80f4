import { describe, expect, it } from 'vitest';
import { type PastMessage, somePastMessages } from '../../test/kit/builders/messages.ts';
import { anOrganisation, aService } from '../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../test/kit/harness.ts';
import type { Channel } from '../protocol/channels.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const nowhere = '4f46df42-f795-4cc4-83bb-65ca312f49cc';

async function withAllowance(limit: number, year = 2026): Promise<string> {
  const service = await aService(harness);
  await harness.app.db
    .insertInto('annual_allowances')
    .values({
      service_id: service,
      financial_year_start: year,
      free_sms_fragment_limit: limit,
      created_at: '2026-04-01T00:00:00Z',
    })
    .execute();
  return service;
}

function sms(service_id: string, created_at: string, more: Partial<PastMessage> = {}): PastMessage {
  return { service_id, notification_type: 'sms', status: 'delivered', created_at, ...more };
}

function letter(service_id: string, created_at: string, more: Partial<PastMessage> = {}): PastMessage {
  return { service_id, notification_type: 'letter', status: 'sending', created_at, ...more };
}

const billing = (service: string, path: string) => harness.admin('GET', `/service/${service}/billing/${path}`);

describe('GET /service/{service_id}/billing/monthly-usage', () => {
  it('200 applies the allowance to the oldest messages first, regardless of rate', async () => {
    const service = await withAllowance(6, 2010);
    await harness.app.db
      .insertInto('sms_rates')
      .values([
        { valid_from: '2010-05-31T23:00:00Z', rate: '0.162' },
        { valid_from: '2010-06-01T23:00:00Z', rate: '0.015' },
      ])
      .execute();
    await somePastMessages(harness, [
      sms(service, '2010-06-01T09:00:00Z'),
      sms(service, '2010-06-01T10:00:00Z', { billable_units: 2, rate_multiplier: 2 }),
      sms(service, '2010-06-02T09:00:00Z', { billable_units: 2, rate_multiplier: 2 }),
    ]);
    const { status, body } = await billing(service, 'monthly-usage?year=2010');
    expect(status).toBe(200);
    const june = { month: 'June', notification_type: 'sms', postage: null };
    expect(body).toEqual([
      {
        ...june,
        rate: 0.015,
        notifications_sent: 1,
        chargeable_units: 4,
        free_allowance_used: 1,
        charged_units: 3,
        cost: 0.045,
      },
      {
        ...june,
        rate: 0.162,
        notifications_sent: 2,
        chargeable_units: 5,
        free_allowance_used: 5,
        charged_units: 0,
        cost: 0,
      },
    ]);
    await harness.app.db.deleteFrom('sms_rates').where('valid_from', '<', '2011-01-01').execute();
  });

  it('200 by month in London, type, rate and postage; no email', async () => {
    const service = await withAllowance(2);
    await somePastMessages(harness, [
      sms(service, '2026-03-31T22:59:59Z', { billable_units: 9 }),
      sms(service, '2026-03-31T23:00:00Z', { billable_units: 3 }),
      sms(service, '2026-04-30T22:59:59Z', { billable_units: 1, rate_multiplier: 4 }),
      sms(service, '2026-04-30T23:00:00Z', { billable_units: 1 }),
      { ...sms(service, '2026-04-30T23:00:00Z'), notification_type: 'email' },
      letter(service, '2026-04-06T22:00:00Z', { postage: 'first', billable_units: 2 }),
      letter(service, '2026-04-06T23:00:00Z', { postage: 'first', billable_units: 2 }),
      letter(service, '2026-04-07T23:00:00Z', { postage: 'first', billable_units: 2, status: 'delivered' }),
      letter(service, '2026-04-07T23:00:00Z', { postage: 'second', billable_units: 1, status: 'returned-letter' }),
    ]);
    const { body } = await billing(service, 'monthly-usage?year=2026');
    const april = { month: 'April', notification_type: 'letter', free_allowance_used: 0 };
    expect(body).toEqual([
      {
        ...april,
        postage: 'second',
        rate: 0.73,
        notifications_sent: 1,
        chargeable_units: 1,
        charged_units: 1,
        cost: 0.73,
      },
      {
        ...april,
        postage: 'first',
        rate: 1.53,
        notifications_sent: 1,
        chargeable_units: 1,
        charged_units: 1,
        cost: 1.53,
      },
      {
        ...april,
        postage: 'first',
        rate: 1.61,
        notifications_sent: 2,
        chargeable_units: 2,
        charged_units: 2,
        cost: 3.22,
      },
      {
        month: 'April',
        notification_type: 'sms',
        postage: null,
        rate: 0.024,
        notifications_sent: 2,
        chargeable_units: 7,
        free_allowance_used: 2,
        charged_units: 5,
        cost: 0.12,
      },
      {
        month: 'May',
        notification_type: 'sms',
        postage: null,
        rate: 0.024,
        notifications_sent: 1,
        chargeable_units: 1,
        free_allowance_used: 0,
        charged_units: 1,
        cost: 0.024,
      },
    ]);
  });

  it('200 counts only billable statuses of normal and team keys', async () => {
    const service = await withAllowance(0);
    const day = '2026-11-15T09:00:00Z';
    const of = (type: Channel, ...statuses: PastMessage['status'][]) =>
      statuses.map((status) => ({ service_id: service, notification_type: type, status, created_at: day }));
    await somePastMessages(harness, [
      ...of('sms', 'sending', 'sent', 'delivered', 'pending', 'temporary-failure', 'permanent-failure'),
      ...of('sms', 'created', 'technical-failure', 'cancelled'),
      ...of('email', 'sending', 'delivered', 'temporary-failure', 'permanent-failure'),
      ...of('email', 'created', 'technical-failure'),
      ...of('letter', 'sending', 'delivered', 'returned-letter'),
      ...of('letter', 'created', 'technical-failure', 'cancelled', 'validation-failed', 'virus-scan-failed'),
      sms(service, day, { key_type: 'test' }),
      sms(service, day, { key_type: 'team' }),
    ]);
    const { body } = await billing(service, 'yearly-usage-summary?year=2026');
    expect(body.map((row: Record<string, unknown>) => [row.notification_type, row.notifications_sent])).toEqual([
      ['email', 4],
      ['letter', 3],
      ['sms', 7],
    ]);
  });

  it('200 [] when nothing was sent', async () => {
    const service = await aService(harness);
    expect(await billing(service, 'monthly-usage?year=2026')).toMatchObject({ status: 200, body: [] });
    expect(await billing(service, 'monthly-usage?year=1')).toMatchObject({ status: 200, body: [] });
    expect(await billing(service, 'yearly-usage-summary?year=9998')).toMatchObject({ status: 200, body: [] });
  });

  it('200 uses the default allowance if none is stored, without storing it', async () => {
    const service = await aService(harness, { organisation_type: 'nhs_gp' });
    await somePastMessages(harness, [sms(service, '2026-11-14T12:00:00Z', { billable_units: 3 })]);
    const { body } = await billing(service, 'monthly-usage?year=2026');
    expect(body).toMatchObject([{ free_allowance_used: 0, charged_units: 3, cost: 0.072 }]);
    const other = await aService(harness);
    await somePastMessages(harness, [sms(other, '2026-11-14T12:00:00Z', { billable_units: 5_003 })]);
    expect((await billing(other, 'monthly-usage?year=2026')).body).toMatchObject([
      { free_allowance_used: 5_000, charged_units: 3, cost: 0.072 },
    ]);
    const stored = await harness.app.db.selectFrom('annual_allowances').select('service_id').execute();
    expect(stored.map(({ service_id }) => service_id)).not.toContain(other);
  });

  it('200 drops a message that becomes unbillable', async () => {
    const service = await withAllowance(0);
    await somePastMessages(harness, [sms(service, '2026-11-15T10:00:00Z', { status: 'technical-failure' })]);
    expect((await billing(service, 'monthly-usage?year=2026')).body).toEqual([]);
  });
});

describe.each(['monthly-usage', 'yearly-usage-summary'])('the year of %s', (path) => {
  it.each([
    '',
    '?year=',
    '?year=abc',
    '?year=20.26',
    '?year=-2026',
    '?year=0',
    '?year=20260',
    '?year=9999',
    '?year=1&year=2',
    '?year=%00',
  ])('400 for "%s"', async (query) => {
    const service = await aService(harness);
    expect(await billing(service, `${path}${query}`)).toMatchObject({
      status: 400,
      body: { result: 'error', message: 'No valid year provided' },
    });
  });

  it('404 for an unknown service or an invalid id', async () => {
    expect(await billing(nowhere, `${path}?year=2026`)).toMatchObject({
      status: 404,
      body: { result: 'error', message: 'No result found' },
    });
    expect((await billing('not-an-id', `${path}?year=2026`)).status).toBe(404);
  });

  it('401 without a token', async () => {
    expect(
      (await harness.request({ method: 'GET', url: `/service/${nowhere}/billing/${path}?year=2026` })).status,
    ).toBe(401);
  });
});

describe('GET /service/{service_id}/billing/yearly-usage-summary', () => {
  it('200 returns one row per type, with the average rate by chargeable units', async () => {
    const service = await withAllowance(3);
    await somePastMessages(harness, [
      sms(service, '2026-04-10T12:00:00Z', { billable_units: 2, rate_multiplier: 3 }),
      { ...sms(service, '2026-04-10T12:00:00Z'), notification_type: 'email' },
      letter(service, '2026-04-10T12:00:00Z', { billable_units: 1 }),
      letter(service, '2026-04-10T12:00:00Z', { billable_units: 5 }),
      letter(service, '2026-04-10T12:00:00Z', { billable_units: 5, postage: 'first' }),
    ]);
    const { status, body } = await billing(service, 'yearly-usage-summary?year=2026');
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        notification_type: 'email',
        chargeable_units: 0,
        notifications_sent: 1,
        rate: 0,
        cost: 0,
        free_allowance_used: 0,
        charged_units: 0,
      },
      {
        notification_type: 'letter',
        chargeable_units: 3,
        notifications_sent: 3,
        rate: 1.133333333333,
        cost: 3.4,
        free_allowance_used: 0,
        charged_units: 3,
      },
      {
        notification_type: 'sms',
        chargeable_units: 6,
        notifications_sent: 1,
        rate: 0.024,
        cost: 0.072,
        free_allowance_used: 3,
        charged_units: 3,
      },
    ]);
  });

  it('200 prints decimals without floating point noise', async () => {
    const service = await withAllowance(0);
    await somePastMessages(harness, [
      ...Array.from({ length: 3 }, () =>
        letter(service, '2026-11-10T12:00:00Z', { billable_units: 4, postage: 'economy' }),
      ),
      sms(service, '2026-11-10T12:00:00Z', { billable_units: 1_099 }),
    ]);
    const { text } = await billing(service, 'monthly-usage?year=2026');
    expect(text).toContain('"cost":2.337');
    expect(text).toContain('"cost":26.376');
    expect(text).toContain('"rate":0.779');
  });

  it.each([
    { rate: '0.0162', units: 2, cost: '0.0324' },
    { rate: '0.1', units: 3, cost: '0.3' },
    { rate: '0.0293', units: 900, cost: '26.37' },
  ])('200 $units at $rate are $cost', async ({ rate, units, cost }) => {
    const service = await withAllowance(0, 2010);
    await harness.app.db.insertInto('sms_rates').values({ valid_from: '2010-05-31T23:00:00Z', rate }).execute();
    await somePastMessages(
      harness,
      Array.from({ length: units }, () => sms(service, '2010-06-01T09:00:00Z')),
    );
    const { text } = await billing(service, 'yearly-usage-summary?year=2010');
    expect(text).toContain(`"cost":${cost},`);
    await harness.app.db.deleteFrom('sms_rates').where('valid_from', '<', '2011-01-01').execute();
  });
});

describe('GET /service/{service_id}/billing/free-sms-fragment-limit', () => {
  it('200 returns the stored allowance of any year', async () => {
    const service = await withAllowance(12, 2011);
    expect(await billing(service, 'free-sms-fragment-limit?financial_year_start=2011')).toMatchObject({
      status: 200,
      body: { free_sms_fragment_limit: 12, financial_year_start: 2011, has_custom_allowance: false },
    });
  });

  it('200 defaults to the current year and stores its allowance', async () => {
    const service = await aService(harness, { organisation_type: 'central' });
    const { status, body } = await billing(service, 'free-sms-fragment-limit');
    expect(status).toBe(200);
    expect(body).toEqual({ free_sms_fragment_limit: 20000, financial_year_start: 2026, has_custom_allowance: false });
    expect((await billing(service, 'free-sms-fragment-limit?financial_year_start=2021')).body).toEqual({
      free_sms_fragment_limit: 150000,
      financial_year_start: 2021,
      has_custom_allowance: false,
    });
    const stored = await harness.app.db
      .selectFrom('annual_allowances')
      .select('financial_year_start')
      .where('service_id', '=', service)
      .orderBy('financial_year_start')
      .execute();
    expect(stored).toEqual([{ financial_year_start: 2021 }, { financial_year_start: 2026 }]);
  });

  it.each(['2015', '2027', 'abc', '', '20.26', '-1', '99999999999'])('400 for year "%s"', async (year) => {
    const service = await aService(harness);
    expect(await billing(service, `free-sms-fragment-limit?financial_year_start=${year}`)).toMatchObject({
      status: 400,
      body: { result: 'error', message: 'Invalid financial year' },
    });
  });

  it('404 for an unknown service', async () => {
    expect(await billing(nowhere, 'free-sms-fragment-limit')).toMatchObject({
      status: 404,
      body: { result: 'error', message: 'No result found' },
    });
  });
});

describe('POST /service/{service_id}/billing/free-sms-fragment-limit', () => {
  const set = (service: string, body: unknown) =>
    harness.admin('POST', `/service/${service}/billing/free-sms-fragment-limit`, body);

  it('200 marks the allowance as custom unless it equals the default', async () => {
    const service = await aService(harness, { organisation_type: 'local' });
    expect(await set(service, { free_sms_fragment_limit: 0 })).toMatchObject({
      status: 200,
      body: { free_sms_fragment_limit: 0 },
    });
    expect((await billing(service, 'free-sms-fragment-limit')).body.has_custom_allowance).toBe(true);
    await set(service, { free_sms_fragment_limit: 10_000, financial_year_start: 2020 });
    expect((await billing(service, 'free-sms-fragment-limit')).body).toEqual({
      free_sms_fragment_limit: 10_000,
      financial_year_start: 2026,
      has_custom_allowance: false,
    });
    expect((await billing(service, 'free-sms-fragment-limit?financial_year_start=2020')).body).toMatchObject({
      free_sms_fragment_limit: 25_000,
    });
  });

  it.each([
    [undefined, 'Missing data for required field.'],
    [{}, 'Missing data for required field.'],
    [{ free_sms_fragment_limit: null }, 'Field may not be null.'],
    [{ free_sms_fragment_limit: -1 }, 'Must be greater than or equal to 0.'],
    [{ free_sms_fragment_limit: '10' }, 'Not a valid integer.'],
    [{ free_sms_fragment_limit: 1.5 }, 'Not a valid integer.'],
    [{ free_sms_fragment_limit: true }, 'Not a valid integer.'],
    [{ free_sms_fragment_limit: 3_000_000_000 }, 'Must be less than or equal to 2147483647.'],
  ])('400 for %j', async (body, text) => {
    const service = await aService(harness);
    expect(await set(service, body)).toMatchObject({
      status: 400,
      body: { result: 'error', message: { free_sms_fragment_limit: [text] } },
    });
  });

  it('200 for 1.0, which is an integer', async () => {
    const service = await aService(harness);
    const response = await harness.request({
      method: 'POST',
      url: `/service/${service}/billing/free-sms-fragment-limit`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}` },
      payload: '{"free_sms_fragment_limit": 1.0}',
    });
    expect(response.status).toBe(200);
  });

  it('404 for an unknown service', async () => {
    expect(await set(nowhere, { free_sms_fragment_limit: 1 })).toMatchObject({
      status: 404,
      body: { result: 'error', message: 'No result found' },
    });
  });
});

describe('GET /organisations/{id}/services-with-usage', () => {
  it('200 lists live services with their usage, active ones first', async () => {
    const organisation = await anOrganisation(harness);
    const of = (name: string, more = {}) => aService(harness, { name, organisation_id: organisation, ...more });
    const zoo = await of('Zoo');
    const archived = await of('Archived', { active: false });
    await of('Trial', { restricted: true });
    const busy = await of('Busy');
    await harness.app.db
      .insertInto('annual_allowances')
      .values({
        service_id: busy,
        financial_year_start: 2026,
        free_sms_fragment_limit: 10,
        created_at: '2026-04-01T00:00:00Z',
      })
      .execute();
    await somePastMessages(harness, [
      sms(busy, '2026-04-01T12:00:00Z', { billable_units: 4, rate_multiplier: 3 }),
      sms(busy, '2025-04-01T12:00:00Z', { billable_units: 400 }),
      letter(busy, '2026-04-01T12:00:00Z'),
      { ...sms(busy, '2026-11-15T12:00:00Z'), notification_type: 'email' },
      sms(archived, '2026-04-01T12:00:00Z', { billable_units: 4 }),
    ]);
    const { status, body } = await harness.admin('GET', `/organisations/${organisation}/services-with-usage?year=2026`);
    expect(status).toBe(200);
    const none = { sms_billable_units: 0, chargeable_billable_sms: 0, sms_cost: 0, letter_cost: 0, emails_sent: 0 };
    expect(body).toEqual({
      services: [
        {
          service_id: busy,
          service_name: 'Busy',
          free_sms_limit: 10,
          sms_remainder: 0,
          sms_billable_units: 12,
          chargeable_billable_sms: 2,
          sms_cost: 0.048,
          letter_cost: 0.73,
          emails_sent: 1,
          active: true,
        },
        { service_id: zoo, service_name: 'Zoo', free_sms_limit: 5_000, sms_remainder: 5_000, ...none, active: true },
        {
          ...none,
          service_id: archived,
          service_name: 'Archived',
          free_sms_limit: 5_000,
          sms_remainder: 4_996,
          sms_billable_units: 4,
          active: false,
        },
      ],
      updated_at: '2026-11-15T12:00:00.000000Z',
    });
  });

  it('400 without a year, 404 for an unknown organisation', async () => {
    const organisation = await anOrganisation(harness);
    expect(await harness.admin('GET', `/organisations/${organisation}/services-with-usage`)).toMatchObject({
      status: 400,
      body: { result: 'error', message: 'No valid year provided' },
    });
    expect(await harness.admin('GET', `/organisations/${nowhere}/services-with-usage?year=2026`)).toMatchObject({
      status: 404,
      body: { result: 'error', message: 'No result found' },
    });
  });
});
