import { beforeAll, describe, expect, it } from 'vitest';
import { useHarness } from '../../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: {
    sms: { providers: ['sandbox', 'mmg'] },
    providers: { mmg: { url: 'http://127.0.0.1:9/mmg', apiKey: 'wrong' } },
  },
});

let operator: ConsoleVisitor;
let looker: ConsoleVisitor;
beforeAll(async () => {
  operator = await signedIn(harness, (await aPerson(harness, { name: 'Ada Lovelace', platform_admin: true })).id);
  looker = await signedIn(harness, (await aPerson(harness, { read_only_operator: true })).id);
});

interface Details {
  id: string;
  identifier: string;
  notification_type: string;
  priority: number;
  active: boolean;
  version: number;
}

async function provider(identifier: string, notification_type = 'sms'): Promise<Details> {
  const { body } = await harness.admin('GET', '/provider-details');
  return body.provider_details.find(
    (one: Details) => one.identifier === identifier && one.notification_type === notification_type,
  );
}

const shares = '/console/operator/providers/text-shares';

describe('shares', () => {
  it('change together, with a reason in the history, and failover returns to them', async () => {
    const page = await operator.post(shares, { share_sandbox: '30', share_mmg: '70', reason: 'Cheaper' });
    expect([page.status, page.location]).toEqual([303, '/console/operator/providers']);
    const [sandbox, mmg] = [await provider('sandbox'), await provider('mmg')];
    expect([sandbox.priority, mmg.priority]).toEqual([30, 70]);
    const resting = await harness.app.db
      .selectFrom('provider_details')
      .select('resting_priority')
      .where('id', '=', mmg.id)
      .executeTakeFirstOrThrow();
    expect(resting.resting_priority).toBe(70);
    const { text } = await operator.get(`/console/operator/providers/${mmg.id}`);
    expect(text).toMatch(/70%.*Cheaper.*Ada Lovelace/s);
  });

  it.each([
    [{ share_sandbox: '30', share_mmg: '60' }, { '': 'The shares add up to 90. They must add up to 100.' }],
    [{ share_sandbox: '101', share_mmg: '0' }, { share_sandbox: 'Enter a whole number from 0 to 100.' }],
    [{ share_sandbox: '-1', share_mmg: '99' }, { share_sandbox: 'Enter a whole number from 0 to 100.' }],
    [{ share_mmg: '100' }, { share_sandbox: 'Enter a number from 0 to 100.' }],
  ])('400 for %o; nothing changes', async (form, problems) => {
    const before = await provider('mmg');
    const page = await operator.post(shares, { ...form, reason: 'Try' });
    expect([page.status, page.problems]).toEqual([400, problems]);
    expect(await provider('mmg')).toEqual(before);
  });

  it('400 without a reason; read-only operators change nothing', async () => {
    const page = await operator.post(shares, { share_sandbox: '50', share_mmg: '50' });
    expect(page.problems).toEqual({ reason: 'Enter a reason.' });
    expect((await looker.post(shares, { share_sandbox: '50', share_mmg: '50', reason: 'x' })).status).toBe(403);
    expect((await looker.get('/console/operator/providers')).text).not.toContain('Change shares');
  });
});

describe('pausing', () => {
  it('stops one provider; the last one of a channel stays', async () => {
    const [sandbox, mmg] = [await provider('sandbox'), await provider('mmg')];
    const step = (id: string, name: string, reason = 'Outage') =>
      operator.post(`/console/operator/providers/${id}/${name}`, { reason });
    expect((await step(mmg.id, 'pause', '')).problems).toEqual({ reason: 'Enter a reason.' });
    expect((await step(mmg.id, 'pause')).status).toBe(303);
    expect((await provider('mmg')).active).toBe(false);
    expect((await operator.get('/console/operator/providers')).text).toContain('Paused');
    const refused = await step(sandbox.id, 'pause');
    expect(refused.problems).toEqual({
      reason: 'It is the only provider in use: resume or add another one first.',
    });
    expect((await provider('sandbox')).active).toBe(true);
    expect((await step(mmg.id, 'resume')).status).toBe(303);
    expect((await provider('mmg')).active).toBe(true);
  });
});

describe('a test', () => {
  const test = async (identifier: string, recipient: string, channel = 'sms') =>
    operator.post(`/console/operator/providers/${(await provider(identifier, channel)).id}/test`, { recipient });

  it('hands one message to the provider and shows what it said', async () => {
    const sent = await test('sandbox', 'own');
    expect(sent.text).toContain('Sandbox took the message');
    expect((await test('sandbox', 'nobody', 'email')).text).toContain('Sandbox took the message');
    const messages = await harness.app.db.selectFrom('sandbox_messages').select('recipient').execute();
    expect(messages.map(({ recipient }) => recipient).sort()).toEqual([
      '447700900460',
      'simulate-delivered@notifications.service.gov.uk',
    ]);
    const failed = await test('mmg', 'nobody');
    expect(failed.text).toMatch(/MMG (failed|asks to try again)/);
    expect((await test('mmg', 'ada@example.org')).status).toBe(400);
  });

  it('404 for a provider that is not in use', async () => {
    expect((await test('firetext', 'nobody')).status).toBe(404);
  });
});
