import { beforeAll, describe, expect, it } from 'vitest';
import { type PastMessage, somePastMessages } from '../../test/kit/builders/messages.ts';
import { aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../test/kit/world/console-people.ts';
import { gb } from '../countries/gb.ts';
import type { CountryProfile } from '../countries/profile.ts';
import { foldRollups } from '../notifications/rollups/rollups.ts';

// A financial year from 16 July on: its months begin within calendar months.

const inKathmandu: CountryProfile = {
  ...gb,
  code: 'x-kathmandu',
  calendar: { ...gb.calendar, zone: 'Asia/Kathmandu', financialYearStart: '07-16', limitDay: 'local' },
  money: { currency: 'JPY', priceDecimals: 4, style: 'intl' },
  prices: {
    sms: [{ from: '2020-01-01T00:00Z', rate: '3' }],
    letters: {},
    allowances: { other: { 2020: 100 } },
    highVolume: 2,
  },
};
const harness = useHarness({ now: '2026-11-16T12:00:00Z', country: inKathmandu });
let service: string;
let template: string;

function sms(created_at: string): PastMessage {
  const message = { notification_type: 'sms' as const, status: 'delivered' as const };
  return { service_id: service, template_id: template, created_at, ...message };
}

beforeAll(async () => {
  service = await aService(harness);
  template = await aTemplate(harness, service);
  await somePastMessages(
    harness,
    [
      // The last and the first minute of a year, then of a month: midnight is at 18:15 UTC.
      ...['2025-07-15T18:15:00Z', '2026-07-15T18:14:00Z', '2026-07-15T18:15:00Z', '2026-08-15T18:14:00Z'],
      ...['2026-08-15T18:15:00Z', '2026-09-01T12:00:00Z', '2026-11-15T18:15:00Z'],
    ].map(sms),
  );
});

const get = async (path: string) => (await harness.admin('GET', `/service/${service}/${path}`)).body;

describe.each(['before totals are folded', 'after it'])('%s', (when) => {
  beforeAll(async () => {
    if (when === 'after it') await foldRollups(harness.app.db);
  });

  it('usage has months from the 16th on, whose sum is that of the year', async () => {
    const months = await get('billing/monthly-usage?year=2026');
    expect(months).toMatchObject([
      { month: 'July', notifications_sent: 2, cost: 6, currency: 'JPY' },
      { month: 'August', notifications_sent: 2, cost: 6 },
      { month: 'November', notifications_sent: 1, cost: 3 },
    ]);
    expect(await get('billing/yearly-usage-summary?year=2026')).toMatchObject([{ notifications_sent: 5, cost: 15 }]);
    expect(await get('billing/yearly-usage-summary?year=2025')).toMatchObject([{ notifications_sent: 2, cost: 6 }]);
    expect(await get('billing/monthly-usage?year=2025')).toMatchObject([
      { month: 'July', notifications_sent: 1 },
      { month: 'June', notifications_sent: 1 },
    ]);
  });

  it('messages and templates by month count the same', async () => {
    const { data } = await get('notifications/monthly?year=2026');
    const requested = Object.entries(data as Record<string, { sms: { requested: number } }>);
    expect(requested.map(([month, { sms }]) => [month, sms.requested])).toEqual([
      ['2026-07', 2],
      ['2026-08', 2],
      ['2026-09', 0],
      ['2026-10', 0],
      ['2026-11', 1],
    ]);
    expect((await get('notifications/templates_usage/monthly?year=2026')).stats).toMatchObject([
      { year: 2026, month: 7, count: 2 },
      { year: 2026, month: 8, count: 2 },
      { year: 2026, month: 11, count: 1 },
    ]);
  });

  it('the report of live services and the limit of high volume count whole years', async () => {
    const { data } = (await harness.admin('GET', '/service/live-services-data')).body;
    expect(data).toMatchObject([{ service_id: service, sms_totals: 5 }]);
    // Two texts in the year before are too many for a free allowance.
    expect(await get('billing/free-sms-fragment-limit')).toMatchObject({
      financial_year_start: 2026,
      free_sms_fragment_limit: 0,
    });
  });
});

describe('pages', () => {
  it('say which days a month and a year have', async () => {
    const { id } = await aPerson(harness);
    await joinService(harness, service, id);
    const member = await signedIn(harness, id);
    const usage = await member.get(`/console/services/${service}/usage`);
    expect(usage.text).toContain('16 July 2026 to 15 July 2027');
    expect(usage.text).toContain('16 August 2026 to 15 September 2026');
    expect(usage.text).toMatch(/[¥￥]15/);
    expect(usage.text).toContain('2025 to 2026');
    const months = await member.get(`/console/services/${service}/months`);
    expect(months.text).toContain('16 November 2026 to 15 December 2026');
  });
});
