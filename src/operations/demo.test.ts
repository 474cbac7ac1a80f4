import { readFileSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { aPlan, planRecipient } from '../../test/kit/builders/plans.ts';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { storedMessage } from '../../test/kit/builders/sends.ts';
import { changedConfig } from '../../test/kit/fakes/changed-config.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { getInboxMessage } from '../delivery/sandbox/inbox.ts';
import { simulateEvent } from '../delivery/sandbox/simulated-events.ts';
import { secretFile } from '../platform/secrets/generated-secrets.ts';
import { platformUserId } from '../users/platform-user.ts';
import { type Demo, ensureDemo, retireDemo } from './demo.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const withMail = () => ({
  ...harness.app,
  config: changedConfig(harness.app.config, { email: { providers: ['smtp'] } }),
});

beforeEach(async () => {
  await harness.app.db.deleteFrom('plan_messages').execute();
  await harness.app.db.deleteFrom('api_keys').where('created_by_id', '=', platformUserId).execute();
  harness.app.changeListener.reset();
});

function sendText(demo: Demo, more: object = {}) {
  return harness.v2('POST', '/v2/notifications/sms', demo.api_key, {
    phone_number: '07700900123',
    template_id: demo.templates.sms,
    personalisation: { name: 'Ada', day: 'Friday' },
    ...more,
  });
}

function sendLetter(demo: Demo) {
  return harness.v2('POST', '/v2/notifications/letter', demo.api_key, {
    template_id: demo.templates.letter,
    personalisation: {
      ...{ address_line_1: 'Ada Lovelace', address_line_2: '12 St James’s Square', address_line_3: 'SW1Y 4JH' },
      ...{ name: 'Ada', day: 'Friday' },
    },
  });
}

async function keyTypes() {
  const keys = await harness.app.db
    .selectFrom('api_keys')
    .select('key_type')
    .where('created_by_id', '=', platformUserId)
    .where('expiry_date', 'is', null)
    .execute();
  return keys.map(({ key_type }) => key_type);
}

describe('the demo', () => {
  it('is the same after every start', async () => {
    const demo = await ensureDemo(harness.app);
    expect((await sendText(demo)).status).toBe(201);
    expect(await ensureDemo(harness.app)).toEqual(demo);
    expect(JSON.parse(readFileSync(secretFile(harness.app.config.storage.dataDir, 'demo.json'), 'utf8'))).toEqual(demo);
  });

  it('can be answered in the sandbox', async () => {
    const demo = await ensureDemo(harness.app);
    const { body } = await sendText(demo);
    await harness.deliver();
    const message = await getInboxMessage(harness.app, { platform_admin: true, permissions: {} }, body.id);
    await simulateEvent(harness.app, message, 'reply', 'See you then');
    const received = await harness.v2('GET', '/v2/received-text-messages', demo.api_key);
    expect(received.body.received_text_messages).toMatchObject([
      { user_number: '447700900123', notify_number: '07700900900', content: 'See you then' },
    ]);
  });

  it('does not use a service of the same name created by another user', async () => {
    const id = await aService(harness, { name: 'A Demonstration of ours' });
    const demo = await ensureDemo(harness.app);
    expect(demo.service_id).not.toBe(id);
  });

  it('gets a new key if its key is lost or revoked', async () => {
    const first = await ensureDemo(harness.app);
    harness.clock.advance({ seconds: 1 });
    rmSync(secretFile(harness.app.config.storage.dataDir, 'demo.json'));
    const second = await ensureDemo(harness.app);
    expect(second.api_key).not.toBe(first.api_key);
    expect(second.service_id).toBe(first.service_id);
    await retireDemo(harness.app);
    harness.clock.advance({ seconds: 1 });
    const third = await ensureDemo(harness.app);
    expect(third.templates).toEqual(second.templates);
    expect((await sendText(third)).status).toBe(201);
  });

  it('is retired: its key is revoked and its unsent messages fail', async () => {
    const demo = await ensureDemo(harness.app);
    const scheduled = await sendText(demo, { scheduled_for: '2026-11-15T18:00:00Z' });
    const letter = await sendLetter(demo);
    expect([scheduled.status, letter.status]).toEqual([201, 201]);

    await retireDemo(harness.app);
    expect((await sendText(demo)).status).toBe(403);
    for (const { body } of [scheduled, letter]) {
      expect(await storedMessage(harness, body.id)).toMatchObject({ status: 'technical-failure', sent_at: null });
    }
  });

  it('is retired: its messages with a channel plan start no further step', async () => {
    const demo = await ensureDemo(harness.app);
    const plan_id = await aPlan(harness, demo.service_id, [{ channel: 'sms' }, { channel: 'email' }]);
    const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' } };
    const { body } = await harness.v2('POST', '/v2/messages', demo.api_key, request);
    const other = await anApiKey(harness, demo.service_id);
    const untouched = (await harness.v2('POST', '/v2/messages', other, request)).body;
    await retireDemo(harness.app);
    await harness.deliver();
    const read = async (id: string) => (await harness.v2('GET', `/v2/messages/${id}`, other)).body.status;
    expect([await read(body.id), await read(untouched.id)]).toEqual(['cancelled', 'in-progress']);
  });

  it('has only a test key if a real provider is configured', async () => {
    const before = await ensureDemo(harness.app);
    expect(await keyTypes()).toEqual(['normal']);
    const demo = await ensureDemo(withMail());
    expect(await keyTypes()).toEqual(['test']);
    expect((await sendText(before)).status).toBe(403);
    const { body } = await sendText(demo);
    expect(await storedMessage(harness, body.id)).toMatchObject({ key_type: 'test' });
    expect(await ensureDemo(withMail())).toEqual(demo);
  });
});
