import { beforeEach, describe, expect, it, vi } from 'vitest';
import { anApiKey, anOrganisation, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { type Answer, adminToken, useHarness } from '../../../test/kit/harness.ts';
import { reconcileAnnualCounts } from './annual-limits.ts';

const noon = '2026-11-16T12:00:00Z';
const harness = useHarness({ now: noon });
beforeEach(() => harness.clock.set(noon));

const parts = (count: number) => 'a'.repeat(count === 1 ? 100 : 153 * (count - 1) + 10);

async function aSender(fields: Parameters<typeof aService>[1] = {}) {
  const service = await aService(harness, { sms_limit_unit: 'parts', ...fields });
  const template_id = await aTemplate(harness, service, { content: '((text))' });
  const key = await anApiKey(harness, service);
  const send = (text: string, process: Pick<typeof harness, 'v2'> = harness, phone_number = '07700900123') =>
    process.v2('POST', '/v2/notifications/sms', key, { phone_number, template_id, personalisation: { text } });
  const limits = async () => (await harness.v2('GET', '/v2/limits', key)).body.sms;
  return { service, template_id, key, send, limits };
}

function statuses(responses: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function countOf(owner: string): Promise<number | undefined> {
  const counts = harness.app.db.selectFrom('annual_counts').select('count').where('owner_id', '=', owner);
  return (await counts.executeTakeFirst())?.count;
}

describe('limits that count parts', () => {
  it('take the parts of each text, of the day and of the year', async () => {
    const { send, limits } = await aSender({ sms_message_limit: 10, sms_annual_limit: 100 });
    expect((await send(parts(3))).status).toBe(201);
    expect(await limits()).toMatchObject({
      unit: 'parts',
      day: { limit: 10, used: 3, remaining: 7 },
      year: { limit: 100, used: 3, remaining: 97 },
    });
    expect((await send('ŵ'.repeat(71))).status).toBe(201);
    expect((await limits()).day.used).toBe(5);
  });

  it('429 for a text that needs more parts than are left; a shorter one fits', async () => {
    const { send, limits } = await aSender({ sms_message_limit: 4 });
    expect((await send(parts(3))).status).toBe(201);
    const refused = await send(parts(2));
    expect([refused.status, refused.body.errors[0].message]).toEqual([
      429,
      'Exceeded send limits (daily: 4) for today',
    ]);
    expect((await send(parts(1))).status).toBe(201);
    expect((await limits()).day).toMatchObject({ used: 4, remaining: 0 });
  });

  it('count the name before the text, as it is sent and billed', async () => {
    const { send, limits } = await aSender({ name: 'N'.repeat(50), prefix_sms: true, sms_message_limit: 10 });
    expect((await send('a'.repeat(150))).status).toBe(201);
    expect((await limits()).day.used).toBe(2);
  });

  it('count texts abroad and those of organisations one by one', async () => {
    const organisation_id = await anOrganisation(harness, { sms_annual_limit: 5 });
    const { send, limits } = await aSender({ organisation_id, international_sms_message_limit: 1 });
    expect((await send(parts(4), harness, '+33600000000')).status).toBe(201);
    expect((await send(parts(4), harness, '+33600000000')).status).toBe(429);
    const { day, year_of_organisation } = await limits();
    expect([day.used, year_of_organisation.used]).toEqual([4, 1]);
  });

  it('200 concurrent sends of two processes accept exactly what is left', async () => {
    const { send, limits } = await aSender({ sms_annual_limit: 120 });
    const process = await harness.anotherProcess();
    const sent = await Promise.all(
      Array.from({ length: 200 }, (_, index) => send(parts(2), index % 2 === 0 ? harness : process)),
    );
    expect(statuses(sent)).toEqual({ 201: 60, 429: 140 });
    expect((await limits()).year).toMatchObject({ used: 120, remaining: 0 });
  });
});

describe('a change of the unit', () => {
  const change = async (service: string, sms_limit_unit: string) => {
    const { status, body } = await harness.admin('POST', `/service/${service}`, { sms_limit_unit });
    expect(status).toBe(200);
    return body.data.sms_limit_unit_from;
  };

  it('holds from the next day, and the year is counted anew', async () => {
    const { service, send, limits } = await aSender({ sms_limit_unit: 'messages', sms_annual_limit: 100 });
    expect((await send(parts(3))).status).toBe(201);
    expect(await change(service, 'parts')).toBe('2026-11-17');
    await vi.waitFor(async () => expect((await send(parts(3))).status).toBe(201), 10_000);
    expect(await limits()).toMatchObject({ unit: 'messages', day: { used: 2 }, year: { used: 2 } });
    await harness.deliver();
    harness.clock.set('2026-11-17T00:00:00Z');
    expect(await limits()).toMatchObject({ unit: 'parts', day: { used: 0 }, year: { used: 6 } });
    expect((await send(parts(2))).status).toBe(201);
    expect(await limits()).toMatchObject({ day: { used: 2 }, year: { used: 8 } });
  });

  it('on the same day back again changes nothing', async () => {
    const { service } = await aSender({ sms_limit_unit: 'messages' });
    expect(await change(service, 'parts')).toBe('2026-11-17');
    expect(await change(service, 'messages')).toBe('2026-11-16');
    expect(await change(service, 'messages')).toBe('2026-11-16');
  });

  it('400 for another unit', async () => {
    const { service } = await aSender();
    expect((await harness.admin('POST', `/service/${service}`, { sms_limit_unit: 'words' })).status).toBe(400);
  });
});

describe('files', () => {
  const rows = [1, 3, 2].map((count, row) => [`0770090010${row}`, parts(count)]);
  const bulk = ({ key, template_id }: { key: string; template_id: string }) =>
    harness.v2('POST', '/v2/notifications/bulk', key, {
      ...{ name: 'list', template_id, rows: [['phone number', 'text'], ...rows] },
    });

  it('reserve the parts of all rows, and need no more when they become messages', async () => {
    const team = await aSender({ sms_message_limit: 6, sms_annual_limit: 6 });
    expect((await bulk(team)).status).toBe(201);
    expect(await team.limits()).toMatchObject({ day: { used: 6, remaining: 0 }, year: { used: 6 } });
    expect((await team.send(parts(1))).status).toBe(429);
    await harness.runTasks();
    await harness.deliver();
    await reconcileAnnualCounts(harness.app);
    expect(await team.limits()).toMatchObject({ day: { used: 6 }, year: { used: 6 } });
    const sent = harness.app.db.selectFrom('notifications').select('status').where('service_id', '=', team.service);
    expect(await sent.execute()).toHaveLength(3);
  });

  it('are refused as a whole, and say how many parts they need', async () => {
    const team = await aSender({ sms_message_limit: 5 });
    const refused = await bulk(team);
    expect([refused.status, refused.body.errors[0].message]).toEqual([
      400,
      "You only have 5 remaining parts of sms messages before you reach your daily limit. You've tried to send 6 parts of sms messages.",
    ]);
    const ofYear = await aSender({ sms_annual_limit: 5 });
    expect((await bulk(ofYear)).body.errors[0].message).toBe('Exceeded send limits (annual: 5) for this year');
    expect(await ofYear.limits()).toMatchObject({ day: { used: 0 }, year: { used: 0 } });
  });

  it('give back the parts of rows that are not sent', async () => {
    const { service, template_id, limits } = await aSender({ sms_annual_limit: 100 });
    const file = `phone number,text\n${rows.map((row) => row.join(',')).join('\n')}\n`;
    const { body } = await harness.request({
      method: 'POST',
      url: `/service/${service}/upload?${new URLSearchParams({ filename: 'people.csv', template_id })}`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
      payload: Buffer.from(file),
    });
    const checked = body.data;
    expect([checked.part_count, checked.limit_unit]).toEqual([6, 'parts']);
    const created_by = await aUser(harness);
    expect((await harness.admin('POST', `/service/${service}/job`, { id: checked.id, created_by })).status).toBe(201);
    expect(await limits()).toMatchObject({ day: { used: 6 }, year: { used: 6 } });
    expect((await harness.admin('POST', `/service/${service}/job/${checked.id}/cancel`)).status).toBe(200);
    expect(await limits()).toMatchObject({ day: { used: 0 }, year: { used: 0 } });
  });
});

describe('the nightly comparison', () => {
  it('raises a counter to the parts that were sent, and gives back no parts of texts that failed', async () => {
    const { service, send } = await aSender({ sms_annual_limit: 100 });
    await send(parts(3));
    await harness.deliver();
    const set = (count: number) =>
      harness.app.db.updateTable('annual_counts').set({ count }).where('owner_id', '=', service).execute();
    await set(1);
    await reconcileAnnualCounts(harness.app);
    expect(await countOf(service)).toBe(3);
    await set(5);
    await reconcileAnnualCounts(harness.app);
    expect(await countOf(service)).toBe(5);
  });
});
