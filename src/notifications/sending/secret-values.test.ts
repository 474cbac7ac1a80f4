import { describe, expect, it, onTestFinished } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { changedConfig } from '../../../test/kit/fakes/changed-config.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { startStubGateways } from '../../../test/kit/vendors/stub-gateways.ts';
import { sentBy } from '../../../test/kit/world/account-messages.ts';
import { buildDelivery } from '../../delivery/delivery.ts';
import { findSource } from '../../delivery/sandbox/email-sources.ts';
import { platformServiceId } from '../../users/platform-user.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { demo: { enabled: true } } });
const { admin } = harness;

/** Searches all rows of all tables for a text. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await harness.app.pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition`,
  );
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const holds = await harness.app.pool.query(`select 1 from ${name} t where position($1 in t::text) > 0 limit 1`, [
        text,
      ]);
      return holds.rowCount ? [name] : [];
    }),
  );
  return found.flat();
}

async function aSentCode() {
  const user = await aUser(harness);
  const { sent } = await sentBy(harness, () => admin('POST', `/user/${user}/sms-code`, { to: null }));
  const { id } = await harness.app.db
    .selectFrom('notifications')
    .select('id')
    .where('service_id', '=', platformServiceId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return { id, code: sent[0]?.personalisation.verify_code ?? '', user };
}

/** Delivers the message through a real provider client. */
async function deliverByProvider(id: string): Promise<void> {
  const gateways = await startStubGateways();
  onTestFinished(gateways.close);
  const config = changedConfig(harness.app.config, {
    sms: { providers: ['mmg'] },
    providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'key-of-mmg' } },
  });
  const delivery = buildDelivery({ ...harness.app, config });
  await delivery.runOnce();
  await delivery.stop();
  expect(gateways.sentTo(id)).toHaveLength(1);
}

describe('a sign-in code', () => {
  it('reaches its recipient and is never stored in plain text', async () => {
    const { id, code } = await aSentCode();
    expect(code).toMatch(/^\d{5}$/);
    const said = `${code} is your sign-in code`;
    expect(await tablesWith(`"${code}"`)).toEqual([]);
    await harness.deliver();
    expect((await harness.admin('GET', `/outbox/${id}`)).text).toContain(said);
    expect(await tablesWith(said)).toEqual([]);
    expect(await tablesWith(`"${code}"`)).toEqual([]);
  });

  it.each([false, true])('is hidden from the admin front end (delivered: %s)', async (handedOver) => {
    const { id, code } = await aSentCode();
    if (handedOver) await harness.deliver();
    const shown = await admin('GET', `/service/${platformServiceId}/notifications/${id}`);
    expect(shown.body.body).toBe('[hidden] is your sign-in code. It works for 30 minutes.');
    expect(shown.body.personalisation).toEqual({ verify_code: '[hidden]' });
    const listed = await admin('GET', `/service/${platformServiceId}/notifications`);
    expect(listed.status).toBe(200);
    expect(listed.text).not.toContain(`${code} is`);
  });

  it('is readable with a key of the platform service in the sandbox', async () => {
    const { id, code } = await aSentCode();
    await harness.deliver();
    const read = await harness.v2('GET', `/v2/notifications/${id}`, await anApiKey(harness, platformServiceId));
    expect(read.body.body).toBe(`${code} is your sign-in code. It works for 30 minutes.`);
  });

  it('is deleted after a provider accepts it', async () => {
    const { id } = await aSentCode();
    await deliverByProvider(id);
    const kept = await harness.app.db
      .selectFrom('notifications')
      .select(['status', 'personalisation', 'secret_personalisation'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(kept).toEqual({ status: 'sending', personalisation: {}, secret_personalisation: null });
    const read = await harness.v2('GET', `/v2/notifications/${id}`, await anApiKey(harness, platformServiceId));
    expect(read.body.body).toBe('[hidden] is your sign-in code. It works for 30 minutes.');
  });
});

describe('a link to a file', () => {
  async function anEmailWithAFile(headers: Record<string, string> = {}) {
    const service = await aService(harness, { contact_link: 'https://example.org' });
    const key = await anApiKey(harness, service);
    const template_id = await aTemplate(harness, service, {
      ...{ template_type: 'email', subject: 'For ((name))', content: 'Hello ((name)): ((file))' },
    });
    const personalisation = { name: 'Ada', file: { file: 'aGVsbG8=' } };
    const email = { email_address: 'ada@example.org', template_id, personalisation };
    const send = () => harness.v2('POST', '/v2/notifications/email', key, email, headers);
    const response = await send();
    expect(response.status).toBe(201);
    const secret = /key=([\w-]+)/.exec(response.body.content.body)?.[1] ?? '';
    return { service, key, response, secret, send };
  }

  it('is never stored in plain text while the message is retained', async () => {
    const { secret } = await anEmailWithAFile({ 'idempotency-key': 'one' });
    expect(secret).toHaveLength(43);
    expect(await tablesWith(secret)).toEqual([]);
    await harness.deliver();
    expect(await tablesWith(secret)).toEqual([]);
  });

  it('appears in the email and in the API of the service', async () => {
    const { service, key, response, secret } = await anEmailWithAFile();
    await harness.deliver();
    expect((await findSource(harness.app, response.body.id))?.toString().replaceAll(/=\r?\n/g, '')).toContain(secret);
    const read = await harness.v2('GET', `/v2/notifications/${response.body.id}`, key);
    expect(read.body.body).toBe(response.body.content.body);
    expect(read.body.subject).toBe('For Ada');
    const shown = await admin('GET', `/service/${service}/notifications/${response.body.id}`);
    expect(shown.body.body).toBe(response.body.content.body);
    const stored = await harness.app.db
      .selectFrom('notifications')
      .select('personalisation')
      .where('id', '=', response.body.id)
      .executeTakeFirstOrThrow();
    expect(stored.personalisation).toEqual({ name: 'Ada' });
  });

  it('appears in the response to a repeated request', async () => {
    const { response, send } = await anEmailWithAFile({ 'idempotency-key': 'two' });
    const again = await send();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.text).toBe(response.text);
  });
});
