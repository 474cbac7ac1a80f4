import { beforeAll, describe, expect, it } from 'vitest';
import { aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { inTransaction } from '../platform/db/database.ts';
import { recordInboundText } from './inbound-texts.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
let service: string;
let ids: string[];

beforeAll(async () => {
  service = await aService(harness);
  const receive = async (user_number: string, content: string, at: string) => {
    const text = { service_id: service, notify_number: '07700900500', user_number, content, provider: 'mmg' };
    return (
      await inTransaction(harness.app.db, (tx) => recordInboundText(tx, harness.app.country.phone, text, new Date(at)))
    ).id;
  };
  await receive('07700900111', 'long ago', '2026-11-01T12:00:00Z');
  ids = [
    await receive('07700900111', 'one', '2026-11-15T10:00:00Z'),
    await receive('07700900222', 'two', '2026-11-15T11:00:00Z'),
    await receive('07700900111', 'three', '2026-11-16T11:00:00Z'),
  ];
});

const contents = (texts: { content: string }[]) => texts.map(({ content }) => content);

describe('POST /service/{id}/inbound-sms', () => {
  it('200 with the texts of the last week, newest first, from all numbers or from one', async () => {
    const all = await harness.admin('POST', `/service/${service}/inbound-sms`, {});
    expect(contents(all.body.data)).toEqual(['three', 'two', 'one']);
    expect(all.body.data[0]).toEqual({
      id: ids[2],
      created_at: '2026-11-16T11:00:00.000000Z',
      service_id: service,
      notify_number: '07700900500',
      user_number: '447700900111',
      content: 'three',
    });
    const one = await harness.admin('POST', `/service/${service}/inbound-sms`, { phone_number: '07700 900 111' });
    expect(contents(one.body.data)).toEqual(['three', 'one']);
    for (const phone_number of ['', ' ', null]) {
      const everyone = await harness.admin('POST', `/service/${service}/inbound-sms`, { phone_number });
      expect(contents(everyone.body.data)).toEqual(['three', 'two', 'one']);
    }
  });

  it('404 when the service does not exist', async () => {
    expect((await harness.admin('POST', `/service/${unknown}/inbound-sms`, {})).status).toBe(404);
  });
});

describe('GET /service/{id}/inbound-sms/…', () => {
  it('most-recent: 200 with the newest text from each number', async () => {
    const { body } = await harness.admin('GET', `/service/${service}/inbound-sms/most-recent`);
    expect(contents(body.data)).toEqual(['three', 'two']);
    expect(body.has_next).toBe(false);
    const next = await harness.admin('GET', `/service/${service}/inbound-sms/most-recent?page=2`);
    expect(next.body).toEqual({ data: [], has_next: false });
  });

  it('most-recent-usage: 200 with the time of the last text to the number; 404 without a number', async () => {
    const path = `/service/${service}/inbound-sms/most-recent-usage`;
    expect((await harness.admin('GET', path)).status).toBe(404);
    for (const [number, most_recent_date] of [
      ['07700900500', '2026-11-16T11:00:00.000000Z'],
      ['07700900501', null],
    ]) {
      const added = await harness.admin('POST', '/inbound-number', { number, provider: 'mmg' });
      const inbound_number_id = added.body.data.id;
      await harness.admin('POST', `/inbound-number/service/${service}`, { inbound_number_id });
      expect((await harness.admin('GET', path)).body).toEqual({ most_recent_date });
      await harness.admin('POST', `/service/${service}/inbound-sms/remove`, { archive: false });
    }
  });

  it('summary: 200 with the count and the latest time', async () => {
    const { body } = await harness.admin('GET', `/service/${service}/inbound-sms/summary`);
    expect(body).toEqual({ count: 3, most_recent: '2026-11-16T11:00:00.000000Z' });
    const empty = await harness.admin('GET', `/service/${await aService(harness)}/inbound-sms/summary`);
    expect(empty.body).toEqual({ count: 0, most_recent: null });
  });

  it('{id}: 200 with the text, 404 for an unknown id', async () => {
    const { body } = await harness.admin('GET', `/service/${service}/inbound-sms/${ids[0]}`);
    expect(body.content).toBe('one');
    expect((await harness.admin('GET', `/service/${service}/inbound-sms/${unknown}`)).status).toBe(404);
  });
});
