import { beforeEach, describe, expect, it, vi } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { reserveMessages, returnMessages } from './daily-limits.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const utc_day = '2026-11-16';
const limits = { sms: 50, international_sms: 10, email: 0, letter: 0 };

let service_id: string;
let template_id: string;
let key: string;
beforeEach(async () => {
  service_id = await aService(harness, { sms_message_limit: limits.sms, international_sms_message_limit: 10 });
  template_id = await aTemplate(harness, service_id, { content: 'Hello' });
  key = await anApiKey(harness, service_id);
});

function reserve(messages: number, international = 0) {
  const reservation = { service_id, utc_day, channel: 'sms' as const, messages, parts: null, international };
  return inTransaction(harness.app.db, (tx) => reserveMessages(tx, reservation, limits));
}

function giveBack(messages: number, international = 0) {
  return inTransaction(harness.app.db, (tx) =>
    returnMessages(tx, { service_id, utc_day, channel: 'sms', messages, parts: null, international }),
  );
}

async function send(process: Pick<typeof harness, 'v2'> = harness): Promise<number> {
  const body = { phone_number: '07700900123', template_id };
  return (await process.v2('POST', '/v2/notifications/sms', key, body)).status;
}

async function counts(): Promise<Record<string, number>> {
  const rows = await harness.app.db
    .selectFrom('daily_message_counts')
    .select(['channel', 'count'])
    .where('service_id', '=', service_id)
    .execute();
  return Object.fromEntries(rows.map(({ channel, count }) => [channel, count]));
}

describe('reserving messages', () => {
  it('takes all of them or none', async () => {
    expect(await reserve(51)).toEqual({ channel: 'sms', remaining: 50 });
    expect(await counts()).toEqual({});
    expect(await reserve(30)).toBeUndefined();
    expect(await reserve(21)).toEqual({ channel: 'sms', remaining: 20 });
    expect(await reserve(20)).toBeUndefined();
    expect(await reserve(1)).toEqual({ channel: 'sms', remaining: 0 });
    expect(await counts()).toEqual({ sms: 50 });
  });

  it('checks the international limit first, and takes none of it if the other is exceeded', async () => {
    expect(await reserve(60, 11)).toEqual({ channel: 'international_sms', remaining: 10 });
    expect(await reserve(60, 5)).toEqual({ channel: 'sms', remaining: 50 });
    expect(await counts()).toEqual({ international_sms: 0 });
    expect(await reserve(40, 8)).toBeUndefined();
    expect(await reserve(3, 3)).toEqual({ channel: 'international_sms', remaining: 2 });
    expect(await counts()).toEqual({ sms: 40, international_sms: 8 });
  });

  it('is exact with concurrent reservations and single messages', async () => {
    const reservations = Promise.all(Array.from({ length: 8 }, (_, index) => reserve(10, index % 2)));
    const sends = Promise.all(Array.from({ length: 40 }, () => send()));
    const taken = (await reservations).filter((exceeded) => exceeded === undefined).length;
    const accepted = (await sends).filter((status) => status === 201).length;
    expect(taken * 10 + accepted).toBe((await counts()).sms);
    expect((await counts()).sms).toBeLessThanOrEqual(50);
    // Whatever is left is too little for another reservation, or single messages used it up.
    expect(taken * 10 + accepted).toBeGreaterThan(40);
  });

  it('counts for single messages', async () => {
    expect(await reserve(49)).toBeUndefined();
    expect(await send()).toBe(201);
    expect(await send()).toBe(429);
  });
});

describe('giving messages back', () => {
  it('lets every process send again that had seen the limit reached', async () => {
    const other = await harness.anotherProcess();
    expect(await reserve(49, 10)).toBeUndefined();
    expect(await send()).toBe(201);
    expect(await send()).toBe(429);
    expect(await send(other)).toBe(429);
    await giveBack(2, 10);
    for (const process of [harness, other]) await vi.waitFor(async () => expect(await send(process)).toBe(201), 10_000);
    expect(await send()).toBe(429);
    expect(await counts()).toEqual({ sms: 50, international_sms: 0 });
  });
});
