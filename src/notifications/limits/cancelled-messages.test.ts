import { beforeEach, describe, expect, it } from 'vitest';
import { aPlan, planRecipient } from '../../../test/kit/builders/plans.ts';
import { anApiKey, anOrganisation, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { aCheckedUpload, smsRows } from '../../../test/kit/builders/uploads.ts';
import { useHarness } from '../../../test/kit/harness.ts';

/** Messages that wait for their sending time, and are cancelled before any of them was handed over. */

const night = '2026-11-16T22:00:00Z';
const harness = useHarness({ now: night });
const { admin } = harness;
beforeEach(() => harness.clock.set(night));

const daytime = {
  name: 'Daytime',
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  from_time: '08:00',
  until_time: '21:00',
};

/** Its texts wait until eight, counted in the time of their recipient. */
async function aSender(fields: Parameters<typeof aService>[1] = {}) {
  const permissions = ['sms', 'email', 'letter', 'international_sms'];
  const service = await aService(harness, { permissions, sms_annual_limit: 1_000, ...fields });
  const window = await admin('POST', `/service/${service}/send-window`, daytime);
  const times = { sms_window_id: window.body.data.id, email_window_id: null, time_zone: null };
  expect((await admin('POST', `/service/${service}/sending-times`, times)).status).toBe(204);
  const template_id = await aTemplate(harness, service, { content: '((name))' });
  const key = await anApiKey(harness, service);
  const send = (name = 'Ada', phone_number = '07700900123', withKey = key) =>
    harness.v2('POST', '/v2/notifications/sms', withKey, { phone_number, template_id, personalisation: { name } });
  const held = async (...text: Parameters<typeof send>): Promise<string> => {
    const { status, body } = await send(...text);
    expect([status, typeof body.held_until]).toEqual([201, 'string']);
    return body.id;
  };
  const cancel = (id: string) => admin('POST', `/service/${service}/notifications/${id}/cancel-waiting`);
  return { service, template_id, key, send, held, cancel };
}

async function usedOf(key: string, channel: 'sms' | 'letter' = 'sms') {
  const { day, year, year_of_organisation } = (await harness.v2('GET', '/v2/limits', key)).body[channel];
  return [day.used, year?.used, year_of_organisation?.used];
}

async function internationalOf(service: string): Promise<number | undefined> {
  const counts = harness.app.db.selectFrom('daily_message_counts').select('count').where('service_id', '=', service);
  return (await counts.where('channel', '=', 'international_sms').executeTakeFirst())?.count;
}

describe('a cancelled message', () => {
  it('is given back to the day, the year and the year of the organisation', async () => {
    const organisation_id = await anOrganisation(harness, { sms_annual_limit: 5 });
    const { key, held, cancel, send } = await aSender({ organisation_id, sms_message_limit: 2 });
    const id = await held();
    await held();
    expect(await usedOf(key)).toEqual([2, 2, 2]);
    expect((await send()).status).toBe(429);
    expect((await cancel(id)).status).toBe(204);
    expect(await usedOf(key)).toEqual([1, 1, 1]);
    expect((await cancel(id)).status).toBe(400);
    expect(await usedOf(key)).toEqual([1, 1, 1]);
    expect((await send()).status).toBe(201);
  });

  it('is given back to the year alone when the day is over', async () => {
    const { service, key, held, cancel } = await aSender();
    const id = await held();
    harness.clock.set('2026-11-17T07:00:00Z');
    await held();
    expect((await cancel(id)).status).toBe(204);
    expect(await usedOf(key)).toEqual([1, 1, undefined]);
    const days = harness.app.db.selectFrom('daily_message_counts').select(['utc_day', 'count']);
    expect(await days.where('service_id', '=', service).orderBy('utc_day').execute()).toMatchObject([
      { count: 1 },
      { count: 1 },
    ]);
  });

  it('is given back with the parts that it was counted with', async () => {
    const { key, held, cancel } = await aSender({ sms_limit_unit: 'parts' });
    const [long, short] = [await held('a'.repeat(400)), await held()];
    expect(await usedOf(key)).toEqual([4, 4, undefined]);
    expect((await cancel(long)).status).toBe(204);
    expect(await usedOf(key)).toEqual([1, 1, undefined]);
    expect((await cancel(short)).status).toBe(204);
    expect(await usedOf(key)).toEqual([0, 0, undefined]);
  });

  it('abroad is given back to the limit of texts abroad', async () => {
    const { service, key, held, cancel } = await aSender();
    const id = await held('Ada', '+33612345678');
    expect(await internationalOf(service)).toBe(1);
    expect((await cancel(id)).status).toBe(204);
    expect([await internationalOf(service), ...(await usedOf(key))]).toEqual([0, 0, 0, undefined]);
  });

  it('of a test key gives nothing back', async () => {
    const { service, key, held, cancel } = await aSender();
    await held();
    const testKey = await anApiKey(harness, service, { key_type: 'test' });
    const { body } = await harness.v2('POST', '/v2/notifications/sms', testKey, {
      ...{ phone_number: '07700900123', template_id: await aTemplate(harness, service, { content: 'Hi' }) },
    });
    await cancel(body.id);
    expect(await usedOf(key)).toEqual([1, 1, undefined]);
  });

  it('that is a letter is given back', async () => {
    const { service, key } = await aSender({ letter_annual_limit: 10 });
    const template_id = await aTemplate(harness, service, { template_type: 'letter' });
    const personalisation = {
      name: 'A',
      thing: 'it',
      address_line_1: 'A',
      address_line_2: 'B',
      address_line_3: 'SW1A 1AA',
    };
    const { status, body } = await harness.v2('POST', '/v2/notifications/letter', key, {
      ...{ template_id, personalisation },
    });
    expect([status, await usedOf(key, 'letter')]).toEqual([201, [1, 1, undefined]]);
    expect((await admin('POST', `/service/${service}/notifications/${body.id}/cancel`)).status).toBe(200);
    expect(await usedOf(key, 'letter')).toEqual([0, 0, undefined]);
  });

  it('that is the step of a message with a channel plan is given back', async () => {
    const { service, key } = await aSender();
    const plan_id = await aPlan(harness, service, [{ channel: 'sms' }, { channel: 'email' }]);
    const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' } };
    const { body } = await harness.v2('POST', '/v2/messages', key, request);
    await harness.deliver();
    expect(await usedOf(key)).toEqual([1, 1, undefined]);
    expect((await harness.v2('POST', `/v2/messages/${body.id}/cancel`, key)).status).toBe(200);
    expect(await usedOf(key)).toEqual([0, 0, undefined]);
  });
});

describe('a cancelled file whose rows wait', () => {
  /** The place of one row is open already, so the file starts and the rows of the others wait. */
  async function aWaitingFile(fields: Parameters<typeof aService>[1], text = 'Ada') {
    const sender = await aSender(fields);
    const rows = smsRows(4).map((row) => row && { ...row, personalisation: { name: text } });
    const open = { recipient: '+12128675309', normalised_recipient: '12128675309', time_zone: 'America/New_York' };
    const abroad = { ...open, abroad: true, international: true, personalisation: { name: text } };
    const created_by = await aUser(harness);
    const accept = async () => {
      const id = await aCheckedUpload(harness, sender.service, sender.template_id, [...rows, abroad]);
      const { status, body } = await admin('POST', `/service/${sender.service}/job`, { id, created_by });
      expect(status).toBe(201);
      return { id, status: body.data.job_status as string };
    };
    const cancel = async (id: string) => {
      const { status } = await admin('POST', `/service/${sender.service}/job/${id}/cancel`);
      await harness.runTasks();
      return status;
    };
    return { ...sender, accept, cancel };
  }

  it('is given back, except what was handed over, and the corrected file is sent', async () => {
    const { key, accept, cancel, service } = await aWaitingFile({ sms_message_limit: 7 });
    const { id } = await accept();
    await harness.runTasks();
    await harness.deliver();
    expect(await usedOf(key)).toEqual([5, 5, undefined]);
    expect((await accept()).status).toBe('sending limits exceeded');
    expect(await cancel(id)).toBe(200);
    const { rows } = await harness.app.pool.query(
      'select status, count(*)::int as count from notifications where job_id = $1 group by 1 order by 1',
      [id],
    );
    const cancelled = rows.find(({ status }) => status === 'cancelled').count;
    expect(cancelled).toBeGreaterThanOrEqual(4);
    expect(await usedOf(key)).toEqual([5 - cancelled, 5 - cancelled, undefined]);
    expect(await internationalOf(service)).toBe(5 - cancelled);
    expect((await accept()).status).not.toBe('sending limits exceeded');
  });

  it('is given back in parts', async () => {
    const { key, accept, cancel } = await aWaitingFile({ sms_limit_unit: 'parts' }, 'a'.repeat(200));
    const { id } = await accept();
    await harness.runTasks();
    const [used] = await usedOf(key);
    expect(await cancel(id)).toBe(200);
    const left = await harness.app.pool.query(
      "select 1 from notifications where job_id = $1 and status <> 'cancelled'",
      [id],
    );
    expect(await usedOf(key)).toEqual([2 * left.rows.length, 2 * left.rows.length, undefined]);
    expect(used).toBeGreaterThan(2 * left.rows.length);
  });

  it('is given back to no other day', async () => {
    const { key, accept, cancel, held } = await aWaitingFile({});
    const { id } = await accept();
    await harness.runTasks();
    harness.clock.set('2026-11-17T00:30:00Z');
    await held();
    expect(await cancel(id)).toBe(200);
    const [day, year] = await usedOf(key);
    expect([day, year < 6]).toEqual([1, true]);
  });
});
