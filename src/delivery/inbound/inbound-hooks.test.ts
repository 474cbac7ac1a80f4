import { describe, expect, it, vi } from 'vitest';
import { anApiKey, anInboundNumber, aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { metricsOf } from '../../../test/kit/world/metrics.ts';

const harness = useHarness({
  now: '2026-07-01T12:00:00Z',
  config: { providers: { mmg: { inboundAuth: 'mmg:secret' }, firetext: { inboundAuth: 'notify:a:b' } } },
});
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

let numbers = 0;

async function aReceivingService(
  permissions = ['sms', 'inbound_sms'],
  number = `0770090${String(4000 + numbers++).padStart(4, '0')}`,
) {
  const service = await aService(harness, { permissions });
  await anInboundNumber(harness, service, { number, provider: 'mmg' });
  return { service, number, key: await anApiKey(harness, service) };
}

const received = async (key: string) =>
  (await harness.v2('GET', '/v2/received-text-messages', key)).body.received_text_messages;

describe('POST /notifications/sms/receive/mmg', () => {
  const mmg = (body: unknown, authorization: string | undefined = basic('mmg:secret')) =>
    harness.request({
      method: 'POST',
      url: '/notifications/sms/receive/mmg',
      headers: authorization ? { authorization } : {},
      payload: JSON.stringify(body),
    });
  const text = (number: string) => ({
    MSISDN: '447700900111',
    Number: number,
    Message: 'x+%2B+y+is+%F0%9F%93%A9',
    ID: 'SOME-MMG-SPECIFIC-ID',
    DateRecieved: '2026-07-01+11%3A56%3A11',
  });

  it('200 and stores the text for the service', async () => {
    const { service, number, key } = await aReceivingService();
    const response = await mmg(text(number.replace(/^0/, '44')));
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ status: 'ok' });
    expect(await received(key)).toEqual([
      {
        id: expect.any(String),
        created_at: '2026-07-01T12:00:00.000000Z',
        service_id: service,
        notify_number: number,
        user_number: '447700900111',
        content: 'x + y is 📩',
      },
    ]);
    const [row] = await harness.app.db
      .selectFrom('inbound_sms')
      .selectAll()
      .where('service_id', '=', service)
      .execute();
    expect(row).toMatchObject({ provider: 'mmg', provider_date: '2026-07-01T11:56:11.000000Z' });
  });

  it.each([
    ['447700900777', ['447700900777', '+447700900777', '07700900777', '00447700900777']],
    ['+447700900778', ['447700900778', '07700900778']],
    ['07700 900779', ['447700900779', '07700900779']],
    ['+1 202 555 0187', ['12025550187', '+12025550187']],
    ['33612345678', ['+33612345678', '0033612345678']],
    ['60777', ['60777']],
  ])('200 for %s, however the provider writes it', async (entered, written) => {
    const { key } = await aReceivingService(undefined, entered);
    for (const to of written) expect((await mmg(text(to))).body, to).toEqual({ status: 'ok' });
    const texts = await received(key);
    expect(texts.map(({ notify_number }: { notify_number: string }) => notify_number)).toEqual(
      written.map(() => entered),
    );
  });

  it('200 and counts a text without a service, and logs the last digits of our number only', async () => {
    const rejected = async () =>
      Number(/^inbound_sms_rejected_total\{provider="mmg"\} (\d+)$/m.exec(await metricsOf(harness))?.[1]);
    const before = await rejected();
    const logged = vi.spyOn(harness.app.log, 'warn');
    await mmg(text('447700900998'));
    expect(await rejected()).toBe(before + 1);
    expect(logged.mock.calls.map(([fields]) => fields)).toEqual([
      { event: 'inbound_sms.rejected', provider: 'mmg', number_ends_with: '998' },
    ]);
    logged.mockRestore();
  });

  it('200 RECEIVED for an unknown number, or without the permission', async () => {
    const { number, key } = await aReceivingService(['sms']);
    for (const to of ['447700900999', number]) {
      const response = await mmg(text(to));
      expect(response.status).toBe(200);
      expect(response.text).toBe('RECEIVED');
    }
    expect(await received(key)).toEqual([]);
  });

  it('200 for malformed encoding', async () => {
    const { number, key } = await aReceivingService();
    await mmg({ ...text(number), Message: '100% of it\u0000', DateRecieved: 'soon' });
    expect((await received(key))[0].content).toBe('100% of it');
  });

  it('401 without credentials, 403 with wrong ones', async () => {
    expect((await mmg(text('1'), '')).status).toBe(401);
    expect((await mmg(text('1'), 'Bearer x')).status).toBe(401);
    const wrong = await mmg(text('1'), basic('mmg:wrong'));
    expect(wrong.status).toBe(403);
    expect(wrong.body.result).toBe('error');
  });

  it('400 when a field is missing', async () => {
    expect((await mmg({ Number: '1' })).body).toEqual({
      result: 'error',
      message: { MSISDN: ['Missing data for required field.'], Message: ['Missing data for required field.'] },
    });
  });
});

describe('POST /notifications/sms/receive/firetext', () => {
  const firetext = (fields: Record<string, string>, authorization = basic('notify:a:b')) =>
    harness.request({
      method: 'POST',
      url: '/notifications/sms/receive/firetext',
      headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    });

  it('200 and stores the text for the service, with its London time', async () => {
    const { service, number, key } = await aReceivingService();
    const response = await firetext({
      source: '07700900111',
      destination: number,
      message: 'yes + no',
      time: '2026-07-01 12:56:11',
    });
    expect(response.body).toEqual({ status: 'ok' });
    expect((await received(key))[0]).toMatchObject({ content: 'yes + no', user_number: '447700900111' });
    const [row] = await harness.app.db
      .selectFrom('inbound_sms')
      .selectAll()
      .where('service_id', '=', service)
      .execute();
    expect(row?.provider_date).toBe('2026-07-01T11:56:11.000000Z');
  });

  it('200 for an unknown number', async () => {
    expect((await firetext({ source: '1', destination: '2', message: '3' })).body).toEqual({ status: 'ok' });
  });

  it('403 with wrong credentials', async () => {
    expect((await firetext({}, basic('notify:x'))).status).toBe(403);
  });
});

describe('inbound webhooks without configured credentials', () => {
  const closed = useHarness({
    config: { providers: { mmg: { inboundAuth: undefined }, firetext: { inboundAuth: undefined } } },
  });

  it.each(['mmg', 'firetext'])('403 from %s', async (provider) => {
    const url = `/notifications/sms/receive/${provider}`;
    const headers = { authorization: basic(':') };
    expect((await closed.request({ method: 'POST', url, headers, payload: '{}' })).status).toBe(403);
  });
});
