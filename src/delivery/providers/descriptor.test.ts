import { tmpdir } from 'node:os';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf } from '../../../test/kit/builders/queued-messages.ts';
import { anApiKey, anInboundNumber, aService } from '../../../test/kit/builders/rows.ts';
import { describeSettings } from '../../../test/kit/generate/describe-settings.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { type FrontRequest, startHttpFront } from '../../../test/kit/vendors/http-front.ts';
import { readConfig } from '../../commands/read-config.ts';
import { settingGroups } from '../../config.ts';
import { examine } from '../../operations/doctor/doctor.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { forbidden } from '../../platform/failure.ts';
import type { Http } from '../../platform/http/surface.ts';
import { sameSecret } from '../../platform/secrets/secrets.ts';
import * as setting from '../../platform/setting.ts';
import type { Values } from '../../platform/setting-groups.ts';
import { providerSeed } from '../failover/provider-details.seed.ts';
import type { InboundDeps, ProviderDeps, ReceiptDeps, SmsDescriptor } from './descriptor.ts';
import { ProviderHttpClient, retryOf } from './http-client.ts';
import type { Provider, TextMessage } from './provider.ts';
import { providers } from './providers.ts';

/** A provider that only this file knows. */

const settings = {
  url: setting.url('ACME_URL', 'Acme endpoint for sending text messages.', { fallback: 'https://api.acme.example' }),
  apiKey: setting.optionalText('ACME_API_KEY', 'API key of the Acme account.', { secret: true }),
  webhookKey: setting.optionalText(
    'ACME_WEBHOOK_KEY',
    'Key that Acme sends with receipts and received text messages.',
    { secret: true },
  ),
};

const acme = {
  name: 'acme' as const,
  channel: 'sms',
  details: {
    id: '7b1d9f52-2c64-4f0e-8b57-5a6f0e1c9d10',
    display_name: 'Acme Texts',
    priority: 30,
    supports_international: true,
  },
  settings,
  required: ['apiKey'],
  open,
  receipts,
  inbound,
} satisfies SmsDescriptor<typeof settings>;

function open(app: ProviderDeps<typeof settings>): Provider<TextMessage> {
  const http = new ProviderHttpClient(app.config.delivery.concurrency);
  const headers = { 'content-type': 'application/json', authorization: `Key ${app.settings.apiKey}` };
  return {
    name: 'acme',
    close: () => http.close(),
    async check() {
      const { status } = await http.ping(app.settings.url, headers);
      if (status === 401) throw new Error('it responded with 401: correct ACME_API_KEY');
    },
    async send({ reference, to, text }) {
      const called = await http.request(app.settings.url, headers, JSON.stringify({ reference, to, text }));
      if ('failed' in called) return called.failed;
      return called.response.status === 202 ? { kind: 'accepted' } : retryOf(called.response);
    },
  };
}

function receipts(http: Http, app: ReceiptDeps<typeof settings>): void {
  http.post(
    '/notifications/sms/acme',
    {
      schema: {
        summary: 'Delivery receipt from Acme',
        body: Type.Object({ reference: Type.String(), arrived: Type.Boolean() }),
        response: { 200: Type.Object({ thanks: Type.Boolean() }) },
      },
      onRequest: async ({ headers }) => refuseOthers(headers['x-acme-key'], app.settings),
    },
    async ({ body: { reference, arrived } }) => {
      await app.recordReceipt({
        provider: 'acme',
        proven: true,
        notification_type: 'sms',
        reference,
        statusFor: () => (arrived ? 'delivered' : 'permanent-failure'),
      });
      return { thanks: true };
    },
  );
}

function inbound(http: Http, app: InboundDeps<typeof settings>): void {
  http.post(
    '/notifications/sms/receive/acme',
    {
      schema: {
        summary: 'Inbound text from Acme',
        body: Type.Object({ from: Type.String(), to: Type.String(), text: Type.String() }),
        response: { 200: Type.Object({ stored: Type.Boolean() }) },
      },
      onRequest: async ({ headers }) => refuseOthers(headers['x-acme-key'], app.settings),
    },
    async ({ body: { from, to, text } }) => {
      const message = { provider: 'acme', from, to, content: text, received_at: undefined, reference: undefined };
      return { stored: await app.receiveText(message) };
    },
  );
}

function refuseOthers(given: unknown, { webhookKey }: Values<typeof settings>): void {
  if (!webhookKey || !sameSecret(String(given), webhookKey)) throw forbidden('Acme callback failed: key');
}

const withAcme = [...providers, acme];

const calls: FrontRequest[] = [];
const gateway = await startHttpFront(async (request) => {
  calls.push(request);
  return { status: request.headers.authorization === 'Key acme-key' ? 202 : 401 };
});
afterAll(() => gateway.close());

const environment = {
  SMS_PROVIDERS: 'acme',
  ACME_URL: gateway.url,
  ACME_API_KEY: 'acme-key',
  ACME_WEBHOOK_KEY: 'webhook-key',
};

describe('a new provider in the list', () => {
  const harness = useHarness({ now: '2026-11-15T12:00:00Z', providers: withAcme, environment });
  const post = (url: string, body: object, key: string) =>
    harness.request({ method: 'POST', url, headers: { 'x-acme-key': key }, payload: JSON.stringify(body) });

  const databaseUrl = () => String(harness.app.pool.options.connectionString);
  const seed = () => migrate(databaseUrl(), harness.app.log, { seeds: [providerSeed(withAcme)] });
  beforeAll(async () => {
    await seed();
  });

  it('has its settings read and checked', () => {
    const read = (given: Record<string, string>, list = withAcme) =>
      readConfig(
        { DATA_DIR: tmpdir(), SECRET_KEY: 's'.repeat(32), ADMIN_CLIENT_SECRETS: 'a'.repeat(32), ...given },
        undefined,
        {
          providers: list,
        },
      );
    expect(read(environment)).toMatchObject({
      sms: { providers: ['acme'] },
      providers: { acme: { url: gateway.url }, mmg: { apiKey: undefined } },
    });
    expect(read({})).toMatchObject({
      sms: { providers: ['sandbox'] },
      providers: { acme: { url: 'https://api.acme.example' } },
    });
    expect(() => read({ SMS_PROVIDERS: 'mmg,acme', MMG_API_KEY: 'x' })).toThrow(
      /problem:\n {2}- ACME_API_KEY must be set for the provider acme$/,
    );
    expect(() => read({ ACME_URL: 'acme' })).toThrow('ACME_URL must be an http or https address, not "acme"');
    expect(() => readConfig(environment)).toThrow(/SMS_PROVIDERS must be names out of sandbox, .*, not "acme"/);
  });

  it('has its settings documented', () => {
    const { markdown, env } = describeSettings(settingGroups(withAcme));
    expect(markdown).toContain(
      '| `ACME_URL` | `https://api.acme.example` | Acme endpoint for sending text messages. |\n' +
        '| `ACME_API_KEY` | (unset) | API key of the Acme account. Also read from the file named by `ACME_API_KEY_FILE`. |\n',
    );
    expect(env).toContain('# Acme endpoint for sending text messages.\n# ACME_URL=https://api.acme.example\n');
    expect(describeSettings().markdown).not.toContain('ACME');
  });

  it('gets a row in provider_details, which operators may change', async () => {
    const row = `/provider-details/${acme.details.id}`;
    expect((await harness.admin('GET', row)).body.provider_details).toMatchObject({
      identifier: 'acme',
      display_name: 'Acme Texts',
      notification_type: 'sms',
      priority: 30,
      active: true,
      supports_international: true,
      version: 1,
    });
    await harness.admin('POST', row, { priority: 80 });
    await seed();
    expect((await harness.admin('GET', `${row}/versions`)).body.data).toMatchObject([
      { version: 2, priority: 80 },
      { version: 1, priority: 30 },
    ]);
  });

  it('sends messages, and its own authenticated webhook takes the receipt', async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    await harness.deliver();
    const sent = calls.map(({ body }) => JSON.parse(body || '{}')).filter(({ reference }) => reference === id);
    expect(sent).toEqual([{ reference: id, to: '447700900123', text: 'Hello Ada' }]);
    expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider: 'acme' });

    const receipt = { reference: id, arrived: true };
    const refused = await post('/notifications/sms/acme', receipt, 'another-key');
    expect(refused).toMatchObject({ status: 403, body: { result: 'error', message: 'Acme callback failed: key' } });
    expect((await messageOf(harness, id)).status).toBe('sending');

    const taken = await post('/notifications/sms/acme', receipt, 'webhook-key');
    expect(taken).toMatchObject({ status: 200, body: { thanks: true } });
    expect((await messageOf(harness, id)).status).toBe('delivered');
  });

  it('receives texts for services', async () => {
    const service = await aService(harness, { permissions: ['sms', 'inbound_sms'] });
    await anInboundNumber(harness, service, { number: '07700900444', provider: 'acme' });
    const text = { from: '447700900111', to: '447700900444', text: 'Hi' };
    expect((await post('/notifications/sms/receive/acme', text, 'another-key')).status).toBe(403);
    const response = await post('/notifications/sms/receive/acme', text, 'webhook-key');
    expect(response).toMatchObject({ status: 200, body: { stored: true } });
    const key = await anApiKey(harness, service);
    const { body } = await harness.v2('GET', '/v2/received-text-messages', key);
    expect(body.received_text_messages).toMatchObject([
      { notify_number: '07700900444', user_number: '447700900111', content: 'Hi' },
    ]);
  });

  it('has its webhooks documented, and no webhook of an inactive provider remains', () => {
    const paths = Object.keys(harness.http.swagger().paths ?? {}).filter((path) =>
      path.startsWith('/notifications/sms'),
    );
    expect(paths.sort()).toEqual([
      '/notifications/sms/acme',
      '/notifications/sms/receive/acme',
      '/notifications/sms/receive/firetext',
      '/notifications/sms/receive/httpsms',
      '/notifications/sms/receive/mmg',
      '/notifications/sms/receive/vonage',
    ]);
  });

  it('has its connection checked by the doctor', async () => {
    const { config } = harness.app;
    const found = await examine(config, databaseUrl(), withAcme);
    expect(found).toContainEqual({ name: 'sms', ok: true, description: 'acme can be reached', provider: 'acme' });
    const providers = { ...config.providers, acme: { url: gateway.url, apiKey: 'wrong' } };
    const wrong = await examine({ ...config, providers }, databaseUrl(), withAcme);
    expect(wrong).toContainEqual({
      name: 'sms',
      ok: false,
      description: 'acme: it responded with 401: correct ACME_API_KEY',
      provider: 'acme',
    });
  });
});
