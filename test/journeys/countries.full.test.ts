import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generic } from '../../src/countries/generic.ts';
import { nl } from '../../src/countries/nl.ts';
import type { CountryProfile } from '../../src/countries/profile.ts';
import { us } from '../../src/countries/us.ts';
import { letterRow } from '../kit/builders/letters.ts';
import { anApiKey, aService, aTemplate, aUser } from '../kit/builders/rows.ts';
import { adminToken, useHarness } from '../kit/harness.ts';

/** A country that breaks every assumption: a zone of three quarters of an hour, no decimals, a weekend on Friday and Saturday. */
const kathmandu: CountryProfile = {
  ...generic,
  ...{ code: 'x-kathmandu', name: 'Nepal', locale: 'en' },
  calendar: { zone: 'Asia/Kathmandu', financialYearStart: '07-16', weekend: [5, 6], limitDay: 'local' },
  money: { currency: 'JPY', priceDecimals: 4, style: 'intl' },
  phone: { ...generic.phone, region: 'NP', regions: ['NP'] },
};

const folder = await mkdtemp(join(tmpdir(), 'countries-'));
afterAll(() => rm(folder, { recursive: true }));

/** A Tuesday: an hour before the cut-off, and after it. `midnight` ends that day. */
const examples = [
  {
    ...{ name: 'nl', country: nl, numbers: ['06 12345678', '+31687654321'], year: 2026 },
    lines: ['Mw. J. de Vries', 'Dorpsstraat 12', '1234 AB  Amsterdam'],
    ...{ morning: '2026-11-17T15:30:00Z', evening: '2026-11-17T17:00:00Z', midnight: '2026-11-17T23:00:00Z' },
  },
  {
    ...{ name: 'us', country: us, numbers: ['(202) 555-0104', '+12025550105'], year: 2026 },
    lines: ['Jane Doe', '1600 Main St', 'Springfield, IL 62704'],
    ...{ morning: '2026-11-17T21:30:00Z', evening: '2026-11-17T23:00:00Z', midnight: '2026-11-18T05:00:00Z' },
  },
  {
    ...{ name: 'x-kathmandu', country: kathmandu, numbers: ['984 1234567', '+9779841234568'], year: 2026 },
    lines: ['A Person', '1 Some Street', 'Some Town'],
    ...{ morning: '2026-11-17T10:45:00Z', evening: '2026-11-17T12:15:00Z', midnight: '2026-11-17T18:15:00Z' },
  },
];

describe.each(examples)('with $name', ({ country, numbers, lines, year, morning, evening, midnight }) => {
  const harness = useHarness({
    ...{ now: morning, country },
    config: { letters: { printFolder: folder, printer: 'press' }, providers: { sandbox: { delay_ms: 0 } } },
  });
  let service: string;
  let key: string;
  let text: string;
  let letter: string;
  let lastOfDay: string;
  let firstOfNext: string;

  const send = (phone_number: string) =>
    harness.v2('POST', '/v2/notifications/sms', key, { phone_number, template_id: text });
  const shifted = (moment: string, minutes: number) => new Date(Date.parse(moment) + minutes * 60_000).toISOString();
  const usage = async () =>
    (await harness.admin('GET', `/service/${service}/billing/yearly-usage-summary?year=${year}`)).body;

  beforeAll(async () => {
    service = await aService(harness, { permissions: ['sms', 'email', 'letter'] });
    key = await anApiKey(harness, service);
    text = await aTemplate(harness, service, { content: 'Hello' });
  });

  it('sends a text and a file of texts', async () => {
    expect((await send(numbers[0] ?? '')).status).toBe(201);
    const { body } = await harness.request({
      method: 'POST',
      url: `/service/${service}/upload?filename=people.csv&template_id=${text}`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
      payload: `phone number\n${numbers.join('\n')}\n`,
    });
    const created_by = await aUser(harness);
    const job = await harness.admin('POST', `/service/${service}/job`, { id: body.data.id, created_by });
    expect(job.status).toBe(201);
    harness.clock.advance({ seconds: 1 });
    await harness.runTasks();
    await harness.deliver();
    const { notifications } = (await harness.v2('GET', '/v2/notifications?include_jobs=true', key)).body;
    expect(notifications.map(({ status }: { status: string }) => status)).toEqual([
      'delivered',
      'delivered',
      'delivered',
    ]);
  });

  it('prints a letter after the cut-off of the country', async () => {
    const brief = await harness.admin('POST', `/service/${service}/template`, {
      ...{ name: 'Letter', template_type: 'letter', subject: 'About you', content: 'Hello' },
      ...{ service, created_by: await aUser(harness) },
    });
    const personalisation = Object.fromEntries(lines.map((line, index) => [`address_line_${index + 1}`, line]));
    const sent = await harness.v2('POST', '/v2/notifications/letter', key, {
      ...{ template_id: brief.body.data.id, personalisation },
    });
    expect(sent.status).toBe(201);
    letter = sent.body.id;
    await harness.runTasks();
    await harness.addTask('collate-letters');
    await harness.runTasks();
    expect(await letterRow(harness, letter)).toMatchObject({ recipient: lines.join('\n'), status: 'created' });
    harness.clock.set(evening);
    await harness.addTask('collate-letters');
    await harness.runTasks();
    // The printer of the sandbox posts at once.
    expect((await letterRow(harness, letter))?.status).toBe('delivered');
  });

  it('counts both in the financial year, without prices', async () => {
    const rows = await usage();
    const units = rows.map(({ notification_type, notifications_sent, cost }: Record<string, unknown>) => ({
      ...{ notification_type, notifications_sent, cost },
    }));
    expect(units).toContainEqual({ notification_type: 'sms', notifications_sent: 3, cost: 0 });
    expect(units).toContainEqual({ notification_type: 'letter', notifications_sent: 1, cost: 0 });
    expect(rows.every((row: { currency?: string }) => row.currency === country.money.currency)).toBe(true);
  });

  it('separates days at the midnight of the country', async () => {
    harness.clock.set(shifted(midnight, -10));
    lastOfDay = (await send(numbers[0] ?? '')).body.id;
    harness.clock.set(shifted(midnight, 10));
    firstOfNext = (await send(numbers[0] ?? '')).body.id;
    await harness.deliver();
    const { body } = await harness.admin('GET', `/service/${service}/statistics?today_only=true`);
    expect(body.data.sms.requested).toBe(1);
    const report = '/platform-stats/daily-volumes-report?start_date=2026-11-17&end_date=2026-11-18';
    const days = (await harness.admin('GET', report)).body;
    expect(days.map(({ day, sms_totals }: Record<string, unknown>) => [day, sms_totals])).toEqual([
      ['2026-11-17', 4],
      ['2026-11-18', 1],
    ]);
  });

  it('keeps messages for seven days of the country', async () => {
    const kept = async (id: string) => (await harness.v2('GET', `/v2/notifications/${id}`, key)).status;
    const tasks = async () => {
      await harness.addTask('apply-retention');
      await harness.runTasks();
    };
    harness.clock.set(shifted(midnight, 7 * 24 * 60 - 10));
    await tasks();
    expect([await kept(lastOfDay), await kept(firstOfNext)]).toEqual([200, 200]);
    harness.clock.set(shifted(midnight, 7 * 24 * 60 + 10));
    await tasks();
    expect([await kept(lastOfDay), await kept(firstOfNext)]).toEqual([404, 200]);
    expect((await usage()).length).toBeGreaterThan(0);
  });
});
