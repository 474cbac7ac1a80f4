import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { inTransaction } from '../platform/db/database.ts';
import { recordInboundText } from './inbound-texts.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const url = '/v2/received-text-messages';
let service: string;
let key: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
});

function receive(service_id: string, content: string, user_number = '07700 900111') {
  const { app, clock } = harness;
  return inTransaction(app.db, (tx) =>
    recordInboundText(
      tx,
      harness.app.country.phone,
      { service_id, content, user_number, notify_number: '07700900500', provider: 'mmg' },
      clock.now(),
    ),
  );
}

describe('GET /v2/received-text-messages', () => {
  it('200 with an empty list and no next link', async () => {
    const response = await harness.v2('GET', url, key);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ received_text_messages: [], links: { current: `http://localhost:80${url}` } });
  });

  it('200 with the texts of the service, newest first, for any type of key', async () => {
    const first = await receive(service, 'first');
    const second = await receive(service, 'second', 'Bank');
    await receive(await aService(harness), 'of another service');
    const response = await harness.v2('GET', url, await anApiKey(harness, service, { key_type: 'test' }));
    expect(response.body).toEqual({
      received_text_messages: [
        {
          id: second.id,
          created_at: '2026-11-15T12:00:00.000000Z',
          service_id: service,
          notify_number: '07700900500',
          user_number: 'Bank',
          content: 'second',
        },
        expect.objectContaining({ id: first.id, user_number: '447700900111' }),
      ],
      links: { current: `http://localhost:80${url}`, next: `http://localhost:80${url}?older_than=${first.id}` },
    });
  });

  it('200 page by page, without a next link after the last page', async () => {
    const all = (await harness.v2('GET', url, key)).body.received_text_messages;
    const page = await harness.v2('GET', `${url}?older_than=${all[0].id}`, key);
    expect(page.body.received_text_messages).toEqual(all.slice(1));
    expect(page.body.links.current).toBe(`http://localhost:80${url}`);
    const end = await harness.v2('GET', `${url}?older_than=${all.at(-1).id}`, key);
    expect(end.body).toEqual({ received_text_messages: [], links: { current: `http://localhost:80${url}` } });
  });

  it('200 with an empty list when `older_than` is unknown or of another service', async () => {
    const foreign = await receive(await aService(harness), 'foreign');
    await receive(service, 'younger than the foreign one');
    for (const id of [foreign.id, '4f46df42-f795-4cc4-83bb-65ca312f4900']) {
      const response = await harness.v2('GET', `${url}?older_than=${id}`, key);
      expect(response.body.received_text_messages).toEqual([]);
    }
  });

  it.each([
    ['older_than=x', 'older_than is not a valid UUID'],
    ['page=2', 'Additional properties are not allowed (page was unexpected)'],
  ])('400 for ?%s', async (query, message) => {
    const response = await harness.v2('GET', `${url}?${query}`, key);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ status_code: 400, errors: [{ error: 'ValidationError', message }] });
  });
});
