import { beforeAll, describe, expect, it } from 'vitest';
import { nl } from '../../src/countries/nl.ts';
import { anApiKey, anOrganisation, aService, aTemplate } from '../kit/builders/rows.ts';
import { adminToken, useHarness } from '../kit/harness.ts';
import { aPerson, joinService, signedIn } from '../kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../kit/world/console-visitor.ts';

// A country that comes without prices: everything works before somebody adds a rate, and shows amounts afterwards.

const harness = useHarness({ country: nl, now: '2026-11-16T12:00:00Z' });
const days = 'start_date=2026-11-01&end_date=2026-11-30';

let key: string;
let service: string;
let organisation: string;
let template: string;
let member: ConsoleVisitor;
let operator: ConsoleVisitor;
let sent: string;

const ofUsage = () => [
  `/service/${service}/billing/monthly-usage?year=2026`,
  `/service/${service}/billing/yearly-usage-summary?year=2026`,
  `/service/${service}/billing/free-sms-fragment-limit`,
  `/organisations/${organisation}/services-with-usage?year=2026`,
];
const ofReports = [
  `/platform-stats/data-for-billing-report?${days}`,
  `/platform-stats/daily-sms-provider-volumes-report?${days}`,
  `/platform-stats/volumes-by-service?${days}`,
  '/service/live-services-data',
];
const pagesOfMember = () => [
  `/console/services/${service}`,
  `/console/services/${service}/usage`,
  `/console/services/${service}/months`,
  `/console/services/${service}/templates/${template}`,
  `/console/services/${service}/messages/${sent}`,
];
const reports = [
  'daily-volumes',
  'text-providers',
  'volumes-by-service',
  'billing',
  'printer-billing',
  'live-services',
];
const pagesOfOperator = () => [
  `/console/organisations/${organisation}`,
  '/console/operator/rates',
  '/console/operator/rates/new-text',
  ...reports.map((name) => `/console/operator/reports/${name}?start=2026-11-01&end=2026-11-30`),
];
const check = () => member.post(`/console/services/${service}/send/${template}`, { do: 'check', to: '+31 6 12345678' });

/** Without a name of the protocol. */
const ownTexts = (page: Page) => page.text.replaceAll('cost_in_pounds', '');

beforeAll(async () => {
  organisation = await anOrganisation(harness);
  service = await aService(harness, { organisation_id: organisation });
  key = await anApiKey(harness, service);
  template = await aTemplate(harness, service, { content: 'Your permit is ready.' });
  const { id } = await aPerson(harness);
  await joinService(harness, service, id);
  member = await signedIn(harness, id);
  operator = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
});

describe('before there is a rate', () => {
  it('a text is accepted and delivered, and its cost is not known', async () => {
    const body = { phone_number: '+31612345678', template_id: template };
    const accepted = await harness.v2('POST', '/v2/notifications/sms', key, body);
    expect(accepted.status).toBe(201);
    sent = accepted.body.id;
    const waiting = (await harness.v2('GET', `/v2/notifications/${sent}`, key)).body;
    expect(waiting).toMatchObject({ cost_in_pounds: null, is_cost_data_ready: false, currency: 'EUR' });
    expect(waiting).not.toHaveProperty('price_known');
    await harness.deliver();
    const delivered = await harness.v2('GET', `/v2/notifications/${sent}`, key);
    expect(delivered.body).toMatchObject({
      cost_in_pounds: 0,
      is_cost_data_ready: true,
      cost_details: { billable_sms_fragments: 1, sms_rate: 0 },
      currency: 'EUR',
      price_known: false,
    });
    const { body: list } = await harness.v2('GET', '/v2/notifications', key);
    expect(list.notifications).toEqual([delivered.body]);
  });

  it('an email costs nothing, which is known', async () => {
    const email = await aTemplate(harness, service, { template_type: 'email', subject: 'Hello', content: 'Hello' });
    const body = { email_address: 'ada@example.org', template_id: email };
    const { id } = (await harness.v2('POST', '/v2/notifications/email', key, body)).body;
    await harness.deliver();
    const found = (await harness.v2('GET', `/v2/notifications/${id}`, key)).body;
    expect(found).toMatchObject({ cost_in_pounds: 0, is_cost_data_ready: true, currency: 'EUR' });
    expect(found).not.toHaveProperty('price_known');
  });

  it('the admin API counts units and says that there is no price', async () => {
    const [months, year, allowance, ofOrganisation] = await Promise.all(
      ofUsage().map((url) => harness.admin('GET', url)),
    );
    const unpriced = { rate: 0, cost: 0, currency: 'EUR', price_known: false };
    expect(months?.body).toMatchObject([
      { month: 'November', notifications_sent: 1, free_allowance_used: 0, ...unpriced },
    ]);
    expect(year?.body).toMatchObject([
      { notification_type: 'email', cost: 0, currency: 'EUR' },
      { notification_type: 'sms', notifications_sent: 1, ...unpriced },
    ]);
    expect(year?.body[0]).not.toHaveProperty('price_known');
    expect(allowance?.body).toMatchObject({ free_sms_fragment_limit: 0 });
    expect(ofOrganisation?.body).toMatchObject({
      services: [{ sms_cost: 0, letter_cost: 0, emails_sent: 1, free_sms_limit: 0 }],
      currency: 'EUR',
      price_known: false,
    });
    expect((await harness.admin('GET', '/sms-rate')).body).toEqual({
      rate: 0,
      valid_from: '2025-12-31T23:00:00',
      currency: 'EUR',
      price_known: false,
    });
    expect((await harness.admin('GET', '/letter-rates')).body).toEqual([]);
    for (const url of ofReports) expect((await harness.admin('GET', url)).status, url).toBe(200);
    expect((await harness.admin('GET', ofReports[1] ?? '')).body).toMatchObject([{ sms_totals: 1, sms_cost: 0 }]);
  });

  it('the first year with an allowance is the one before the installation', async () => {
    await harness.app.db.updateTable('installation').set({ chosen_at: '2026-06-01T00:00:00Z' }).execute();
    const limit = (year: number) =>
      harness.admin('GET', `/service/${service}/billing/free-sms-fragment-limit?financial_year_start=${year}`);
    expect((await limit(2025)).body).toMatchObject({ free_sms_fragment_limit: 0, financial_year_start: 2025 });
    expect((await limit(2024)).status).toBe(400);
  });

  it('pages show no amounts, and tell only operators why', async () => {
    for (const url of pagesOfMember()) {
      const page = await member.get(url);
      expect(page.status, url).toBe(200);
      expect(ownTexts(page), url).not.toMatch(/£|€|pounds|pence|free (parts|texts)|No prices yet/);
    }
    const checked = await check();
    expect(checked.text).toContain('1 part');
    expect(checked.text).not.toMatch(/£|€/);
    for (const url of pagesOfOperator()) {
      const page = await operator.get(url);
      expect(page.status, url).toBe(200);
      expect(ownTexts(page), url).not.toMatch(/£|€|pounds|pence|free (parts|texts)/);
    }
    const noticed = [`/console/organisations/${organisation}`, `/console/services/${service}/usage`];
    for (const url of [...noticed, '/console/operator/reports/billing', '/console/operator/rates']) {
      expect((await operator.get(url)).text, url).toContain('No prices yet');
    }
    expect((await operator.get('/console/operator/reports/daily-volumes')).text).not.toContain('No prices yet');
    const usage = (await member.get(`/console/services/${service}/usage`)).text;
    expect(usage).toContain('Charged');
    expect(usage).not.toMatch(/Rate<|Cost<|Free</);
  }, 60_000);
});

describe('a rate', () => {
  const newRate = '/console/operator/rates/new-text';

  it('is asked for in the currency, and refused if it can be read in two ways', async () => {
    const form = await operator.get(newRate);
    expect(form.text).toContain('Price of one part, in euros');
    expect(form.text).toContain('For example 0,0227 (euros)');
    for (const rate of ['1.250,5', '1.250', '0,0725.1', '£1']) {
      expect((await operator.post(newRate, { rate, valid_from: '2026-01-01' })).problems).toEqual({
        rate: 'Enter euros, such as 0,0227, at most 100.000.',
      });
    }
    const inPounds = { rate: 0.0725, valid_from: '2026-01-01' };
    expect((await harness.admin('POST', '/sms-rate', { ...inPounds, rate: 100_001 })).status).toBe(400);
  });

  it('gives every text of its days a cost', async () => {
    expect((await operator.post(newRate, { rate: '0,0725', valid_from: '2026-01-01' })).status).toBe(303);
    const { body } = await harness.v2('GET', `/v2/notifications/${sent}`, key);
    const { international_rate_multiplier: multiplier } = body.cost_details;
    const cost = Number((0.0725 * multiplier).toFixed(6));
    expect(body).toMatchObject({ cost_in_pounds: cost, cost_details: { sms_rate: 0.0725 }, currency: 'EUR' });
    expect(body).not.toHaveProperty('price_known');
    const [months] = await Promise.all(ofUsage().map((url) => harness.admin('GET', url)));
    expect(months?.body).toMatchObject([{ rate: 0.0725, cost, currency: 'EUR' }]);
    expect(months?.body[0]).not.toHaveProperty('price_known');
    const { body: current } = await harness.admin('GET', '/sms-rate');
    expect(current).toMatchObject({ rate: 0.0725, currency: 'EUR' });
    expect(current).not.toHaveProperty('price_known');
  });

  it('has its currency in every row of platform statistics with an amount', async () => {
    const [bills, providers, services, live] = ofReports;
    for (const url of [bills, providers, services]) {
      const { body } = await harness.admin('GET', url ?? '');
      expect(body.length, url).toBeGreaterThan(0);
      for (const row of body) expect(row, url).toHaveProperty('currency', 'EUR');
    }
    const csv = await harness.request({
      method: 'GET',
      url: providers ?? '',
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, accept: 'text/csv' },
    });
    expect(csv.text).toMatch(/^day,.*,sms_cost,currency\r?\n.*,EUR/);
    const { body: withoutAmounts } = await harness.admin('GET', live ?? '');
    expect(withoutAmounts.data[0]).not.toHaveProperty('currency');
    const report = await operator.get('/console/operator/reports/text-providers/csv?start=2026-11-01&end=2026-11-30');
    expect(report.text).toMatch(/^day,.*,sms_cost,currency\r?\n.*,EUR/);
  });

  it('shows amounts on the pages, in the format of the country', async () => {
    const euros = /€\s0,\d+/;
    const [home, usage, , preview, message] = await Promise.all(pagesOfMember().map((url) => member.get(url)));
    for (const page of [home, usage, preview, message, await check()]) expect(page?.text).toMatch(euros);
    expect(preview?.text).toMatch(/€\s0,0725 in the Netherlands/);
    expect((await operator.get('/console/operator/reports/text-providers')).text).toContain('Cost, EUR');
    expect((await operator.get('/console/operator/reports/billing')).text).toContain('Euros, largest bills');
    expect((await operator.get(`/console/organisations/${organisation}`)).text).toMatch(euros);
    const csv = await operator.get(`/console/organisations/${organisation}/csv`);
    expect(csv.text).toMatch(/^service_id,.*,letter_cost,currency\r?\n.*,EUR/);
    for (const url of [...pagesOfMember(), ...pagesOfOperator()]) {
      expect(ownTexts(await operator.get(url)), url).not.toMatch(/£|pounds|pence/);
    }
  });
});
