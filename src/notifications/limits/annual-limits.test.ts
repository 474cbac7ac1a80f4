import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { anApiKey, anOrganisation, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { aCheckedUpload, smsRows } from '../../../test/kit/builders/uploads.ts';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';
import { reconcileAnnualCounts } from './annual-limits.ts';

// The financial year ends at midnight in London, an hour before that of UTC.
const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
type Process = Pick<typeof harness, 'v2'>;

beforeEach(() => harness.clock.set('2026-11-16T12:00:00Z'));

async function aSender(fields: Parameters<typeof aService>[1]) {
  const service = await aService(harness, fields);
  const template_id = await aTemplate(harness, service, { content: 'Hello' });
  const key = await anApiKey(harness, service);
  const send = (process: Process = harness, as = key, headers: Record<string, string> = {}) =>
    process.v2('POST', '/v2/notifications/sms', as, { phone_number: '07700900123', template_id }, headers);
  return { service, template_id, key, send };
}

function statuses(responses: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function storedOf(...services: string[]): Promise<number> {
  const rows = await harness.app.db
    .selectFrom('notifications')
    .select('id')
    .where('service_id', 'in', services)
    .execute();
  return rows.length;
}

async function countsOf(owner: string): Promise<Record<string, number>> {
  const rows = await harness.app.db
    .selectFrom('annual_counts')
    .select(['year_start', 'count'])
    .where('owner_id', '=', owner)
    .where('channel', '=', 'sms')
    .execute();
  return Object.fromEntries(rows.map(({ year_start, count }) => [year_start, count]));
}

async function dayCountOf(service: string): Promise<number> {
  const { count } = await harness.app.db
    .selectFrom('daily_message_counts')
    .select((day) => day.fn.sum<number>('count').as('count'))
    .where('service_id', '=', service)
    .where('channel', '=', 'sms')
    .executeTakeFirstOrThrow();
  return Number(count);
}

const refusal = (message: string) => ({ status_code: 429, errors: [{ error: 'TooManyRequestsError', message }] });

describe('the limit of a year', () => {
  it('429 above it, without a time to wait', async () => {
    const { service, send } = await aSender({ sms_annual_limit: 2 });
    expect(statuses([await send(), await send()])).toEqual({ 201: 2 });
    const refused = await send();
    expect([refused.status, refused.body]).toEqual([429, refusal('Exceeded send limits (annual: 2) for this year')]);
    expect(refused.headers['retry-after']).toBeUndefined();
    expect(await storedOf(service)).toBe(2);
    expect(await countsOf(service)).toEqual({ '2026-04-01': 2 });
    expect(await dayCountOf(service)).toBe(2);
  });

  it('429 for one of 0, and nothing counts', async () => {
    const { service, send } = await aSender({ sms_annual_limit: 0 });
    expect((await send()).status).toBe(429);
    expect(await storedOf(service)).toBe(0);
    expect(await dayCountOf(service)).toBe(0);
  });

  it('the limit of the day comes first', async () => {
    const { service, send } = await aSender({ sms_message_limit: 1, sms_annual_limit: 1 });
    await send();
    const refused = await send();
    expect(refused.body).toEqual(refusal('Exceeded send limits (daily: 1) for today'));
    expect(await countsOf(service)).toEqual({ '2026-04-01': 1 });
  });

  it('the limit of the organisation comes last, and all of its services share it', async () => {
    const organisation_id = await anOrganisation(harness, { sms_annual_limit: 3 });
    const [one, other] = [await aSender({ organisation_id, sms_annual_limit: 2 }), await aSender({ organisation_id })];
    expect(statuses([await one.send(), await one.send(), await other.send()])).toEqual({ 201: 3 });
    expect((await one.send()).body).toEqual(refusal('Exceeded send limits (annual: 2) for this year'));
    expect((await other.send()).body).toEqual(
      refusal('Exceeded send limits (annual of organisation: 3) for this year'),
    );
    expect([await countsOf(one.service), await countsOf(other.service), await countsOf(organisation_id)]).toEqual([
      { '2026-04-01': 2 },
      {},
      { '2026-04-01': 3 },
    ]);
  });

  it('is of one channel, and test keys do not count', async () => {
    const { service, send } = await aSender({ sms_annual_limit: 0 });
    expect((await send(harness, await anApiKey(harness, service, { key_type: 'test' }))).status).toBe(201);
    const template_id = await aTemplate(harness, service, { template_type: 'email', subject: 'S', content: 'Hello' });
    const email = { email_address: 'ada@example.org', template_id };
    const key = await anApiKey(harness, service);
    expect((await harness.v2('POST', '/v2/notifications/email', key, email)).status).toBe(201);
  });

  it('200 concurrent sends of two processes accept exactly what is left', async () => {
    const organisation_id = await anOrganisation(harness, { sms_annual_limit: 90 });
    const [one, other] = [await aSender({ organisation_id, sms_annual_limit: 70 }), await aSender({ organisation_id })];
    const process = await harness.anotherProcess();
    const sends = Array.from({ length: 200 }, (_, index) => {
      const { send } = index % 4 === 0 ? other : one;
      return send(index % 2 === 0 ? harness : process);
    });
    expect(statuses(await Promise.all(sends))).toEqual({ 201: 90, 429: 110 });
    expect(await storedOf(one.service, other.service)).toBe(90);
    expect(await countsOf(organisation_id)).toEqual({ '2026-04-01': 90 });
    const own = await storedOf(one.service);
    expect(own).toBeLessThanOrEqual(70);
    expect(await countsOf(one.service)).toEqual({ '2026-04-01': own });
    expect(await dayCountOf(one.service)).toBe(own);
  });

  it('a repeated request counts once, and may be repeated after a refusal', async () => {
    const { service, send } = await aSender({ sms_annual_limit: 1 });
    const repeat = (key: string) => send(harness, undefined, { 'idempotency-key': key });
    const [first, again] = [await repeat('a'), await repeat('a')];
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    expect((await repeat('b')).status).toBe(429);
    await harness.admin('POST', `/service/${service}`, { sms_annual_limit: 2 });
    await vi.waitFor(async () => expect((await repeat('b')).status).toBe(201), 10_000);
    expect(await countsOf(service)).toEqual({ '2026-04-01': 2 });
  });

  it('begins anew at midnight of the country', async () => {
    const { service, send } = await aSender({ sms_annual_limit: 1 });
    harness.clock.set('2027-03-31T22:59:59Z');
    expect(statuses([await send(), await send()])).toEqual({ 201: 1, 429: 1 });
    harness.clock.set('2027-03-31T23:00:00Z');
    expect(statuses([await send(), await send()])).toEqual({ 201: 1, 429: 1 });
    expect(await countsOf(service)).toEqual({ '2026-04-01': 1, '2027-04-01': 1 });
  });
});

describe('a limit that is set later', () => {
  const setLimit = async (service: string, sms_annual_limit: number | null) =>
    expect((await harness.admin('POST', `/service/${service}`, { sms_annual_limit })).status).toBe(200);

  it('counts what was sent in the year so far', async () => {
    const { service, send } = await aSender({});
    expect(statuses([await send(), await send()])).toEqual({ 201: 2 });
    expect(await countsOf(service)).toEqual({});
    await setLimit(service, 3);
    await vi.waitFor(async () => expect((await limitsOf(service)).sms.year?.used).toBe(2), 10_000);
    expect(statuses([await send(), await send()])).toEqual({ 201: 1, 429: 1 });
    expect(await countsOf(service)).toEqual({ '2026-04-01': 3 });
  });

  it('counts again after a time without a limit, and can be below what was sent', async () => {
    const { service, send } = await aSender({ sms_annual_limit: 1 });
    await send();
    await setLimit(service, null);
    await vi.waitFor(async () => expect((await send()).status).toBe(201), 10_000);
    await setLimit(service, 1);
    await vi.waitFor(async () => expect((await send()).status).toBe(429), 10_000);
    expect((await limitsOf(service)).sms.year).toMatchObject({ limit: 1, remaining: 0 });
  });

  it('of an organisation counts what its services have sent, also of one that joins', async () => {
    const organisation = await anOrganisation(harness);
    const [one, other] = [await aSender({ organisation_id: organisation }), await aSender({})];
    expect(statuses([await one.send(), await other.send()])).toEqual({ 201: 2 });
    expect((await harness.admin('POST', `/organisations/${organisation}`, { sms_annual_limit: 3 })).status).toBe(204);
    await vi.waitFor(async () => expect((await limitsOf(one.service)).sms.year_of_organisation?.used).toBe(1), 10_000);
    await harness.admin('POST', `/organisations/${organisation}/service`, { service_id: other.service });
    await vi.waitFor(
      async () => expect((await limitsOf(other.service)).sms.year_of_organisation?.used).toBe(2),
      10_000,
    );
    expect(statuses([await one.send(), await other.send()])).toEqual({ 201: 1, 429: 1 });
  });

  it.each([-1, 2 ** 31, 1.5, 'many'])('400 for %j', async (limit) => {
    const { service } = await aSender({});
    const organisation = await anOrganisation(harness);
    expect((await harness.admin('POST', `/service/${service}`, { sms_annual_limit: limit })).status).toBe(400);
    expect((await harness.admin('POST', `/organisations/${organisation}`, { email_annual_limit: limit })).status).toBe(
      400,
    );
  });
});

async function limitsOf(service: string) {
  const { status, body } = await harness.v2('GET', '/v2/limits', await anApiKey(harness, service));
  expect(status).toBe(200);
  return body;
}

describe('GET /v2/limits', () => {
  it('200 with days and years', async () => {
    const organisation_id = await anOrganisation(harness, { sms_annual_limit: 500 });
    const { service, send } = await aSender({ organisation_id, sms_message_limit: 10, sms_annual_limit: 100 });
    await send();
    const year = { used: 1, resets_at: '2027-03-31T23:00:00.000000Z' };
    expect(await limitsOf(service)).toMatchObject({
      sms: {
        unit: 'messages',
        day: { limit: 10, used: 1, remaining: 9, resets_at: '2026-11-17T00:00:00.000000Z' },
        year: { limit: 100, remaining: 99, ...year },
        year_of_organisation: { limit: 500, remaining: 499, ...year },
      },
      email: { unit: 'messages', day: { used: 0 }, year: null, year_of_organisation: null },
      letter: { day: { used: 0 }, year: null },
    });
  });

  it('403 without a key', async () => {
    expect((await harness.v2('GET', '/v2/limits', 'nobody')).status).toBe(403);
  });
});

describe('files', () => {
  const jobOf = async (service: string, id: string) =>
    (await harness.admin('GET', `/service/${service}/job/${id}`)).body.data;

  async function aFile(rows: number, limits: Parameters<typeof aService>[1]) {
    const sender = await aSender(limits);
    const upload = await aCheckedUpload(harness, sender.service, sender.template_id, smsRows(rows));
    const accept = async (fields: object = {}) => {
      const { status } = await harness.admin('POST', `/service/${sender.service}/job`, {
        id: upload,
        created_by: await aUser(harness),
        ...fields,
      });
      expect(status).toBe(201);
      return jobOf(sender.service, upload);
    };
    return { ...sender, upload, accept };
  }

  it('reserve all of their rows at once', async () => {
    const { service, accept, send } = await aFile(4, { sms_annual_limit: 5 });
    expect((await accept()).job_status).toBe('pending');
    expect(await countsOf(service)).toEqual({ '2026-04-01': 4 });
    expect(statuses([await send(), await send()])).toEqual({ 201: 1, 429: 1 });
    await harness.runTasks();
    expect(await storedOf(service)).toBe(5);
    expect(await countsOf(service)).toEqual({ '2026-04-01': 5 });
  });

  it('are refused as a whole, and take nothing of the day', async () => {
    const { service, accept } = await aFile(4, { sms_annual_limit: 3 });
    expect((await accept()).job_status).toBe('sending limits exceeded');
    expect(await dayCountOf(service)).toBe(0);
    expect(await countsOf(service)).toEqual({ '2026-04-01': 0 });
  });

  it('give back what is not sent', async () => {
    const { service, accept, upload } = await aFile(4, { sms_annual_limit: 5 });
    await accept();
    expect((await harness.admin('POST', `/service/${service}/job/${upload}/cancel`)).status).toBe(200);
    expect(await countsOf(service)).toEqual({ '2026-04-01': 0 });
    expect(await dayCountOf(service)).toBe(0);
  });

  it('that start later reserve then, in the year of that day', async () => {
    const { service, accept, upload } = await aFile(2, { sms_annual_limit: 2 });
    harness.clock.set('2027-03-31T12:00:00Z');
    await accept({ scheduled_for: '2027-04-01T12:00:00Z' });
    expect(await countsOf(service)).toEqual({});
    harness.clock.set('2027-04-01T12:00:01Z');
    await harness.runTasks();
    expect(await storedOf(service)).toBe(2);
    expect(await countsOf(service)).toEqual({ '2027-04-01': 2 });
    expect((await jobOf(service, upload)).job_status).toMatch(/^finished/);
  });

  it('are compared with the statistics every night, and so are single messages', async () => {
    const { service, accept, send } = await aFile(3, { sms_annual_limit: 9 });
    await accept();
    await send();
    await reconcileAnnualCounts(harness.app);
    expect(await countsOf(service)).toEqual({ '2026-04-01': 4 });
    await harness.app.db.updateTable('annual_counts').set({ count: 7 }).where('owner_id', '=', service).execute();
    await reconcileAnnualCounts(harness.app);
    expect(await countsOf(service)).toEqual({ '2026-04-01': 4 });
    await harness.runTasks();
    await harness.deliver();
    await reconcileAnnualCounts(harness.app);
    expect(await countsOf(service)).toEqual({ '2026-04-01': 4 });
    const usage = await sql<{ sent: number }>`
      select sum(notifications_sent)::integer as sent from usage_counts where service_id = ${service}`.execute(
      harness.app.db,
    );
    expect(usage.rows).toEqual([{ sent: 4 }]);
  });

  it('sent by a program: 429 with the limit', async () => {
    const { key, template_id } = await aSender({ sms_annual_limit: 1 });
    const rows = [['phone number'], ['07700900001'], ['07700900002']];
    const { status, body } = await harness.v2('POST', '/v2/notifications/bulk', key, { name: 'x', template_id, rows });
    expect([status, body]).toEqual([429, refusal('Exceeded send limits (annual: 1) for this year')]);
  });
});
