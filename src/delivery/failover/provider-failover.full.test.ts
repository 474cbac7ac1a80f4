import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { messageOf, someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { receiptPathOf, startStubGateways } from '../../../test/kit/vendors/stub-gateways.ts';
import { providers } from '../providers/providers.ts';
import { chooseByPriority, ProviderChoice } from './provider-choice.ts';
import { ProviderRateLimiter } from './provider-rate-limiter.ts';

const gateways = await startStubGateways();
afterAll(() => gateways.close());

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: {
    sms: { providers: ['mmg', 'firetext'] },
    providers: {
      mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' },
      firetext: { url: `${gateways.url}/firetext`, apiKey: 'x' },
    },
  },
});

const details = async () => (await harness.admin('GET', '/provider-details')).body.provider_details;
const detailsOf = async (name: string) =>
  (await details()).find(({ identifier }: { identifier: string }) => identifier === name);
const priorities = async () => [(await detailsOf('mmg')).priority, (await detailsOf('firetext')).priority];

async function set(name: string, change: object): Promise<void> {
  await harness.admin('POST', `/provider-details/${(await detailsOf(name)).id}`, change);
}

async function run(task: string): Promise<void> {
  await harness.addTask(task);
  await harness.runTasks();
}

const many = (length: number) => Array.from({ length }, () => ({}));

describe('a failing provider', () => {
  it('its messages go to the other provider at once, and its share decreases', async () => {
    gateways.answer = ({ gateway }) => (gateway === 'mmg' ? { status: 500 } : 'accept');
    const ids = await someQueuedMessages(harness, await aService(harness), many(200));
    await harness.deliver();
    for (const id of ids)
      expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider: 'firetext' });
    expect(await priorities()).toEqual([41, 59]);
    const [newest, first] = (await harness.admin('GET', `/provider-details/${(await detailsOf('mmg')).id}/versions`))
      .body.data;
    expect(newest).toMatchObject({
      version: 2,
      priority: 41,
      reason: expect.stringMatching(/^\d+ failed calls within a minute$/),
      created_by_name: 'Pennypost',
    });
    expect(first).toMatchObject({ version: 1, priority: 51, reason: null });
  });

  it('loses share at most once a minute', async () => {
    await someQueuedMessages(harness, await aService(harness), many(150));
    await harness.deliver();
    expect(await priorities()).toEqual([41, 59]);
    harness.clock.advance({ seconds: 61 });
    await someQueuedMessages(harness, await aService(harness), many(200));
    await harness.deliver();
    expect(await priorities()).toEqual([31, 69]);
  });

  it('gets its share back after 15 minutes without a change', async () => {
    gateways.answer = () => 'accept';
    harness.clock.advance({ minutes: 14 });
    await run('drift-providers-back');
    expect(await priorities()).toEqual([31, 69]);
    harness.clock.advance({ minutes: 1 });
    await run('drift-providers-back');
    expect(await priorities()).toEqual([41, 59]);
    harness.clock.advance({ minutes: 15 });
    await run('drift-providers-back');
    expect(await priorities()).toEqual([51, 49]);
    harness.clock.advance({ minutes: 15 });
    await run('drift-providers-back');
    expect((await detailsOf('mmg')).version).toBe(5);
  });
});

describe('a share that somebody sets', () => {
  it('stays: failover returns to it', async () => {
    for (const [name, priority] of [
      ['mmg', 20],
      ['firetext', 80],
    ] as const) {
      const { id } = await detailsOf(name);
      expect((await harness.admin('POST', `/provider-details/${id}`, { priority })).status).toBe(200);
    }
    for (let quarter = 0; quarter < 3; quarter += 1) {
      harness.clock.advance({ minutes: 16 });
      await run('drift-providers-back');
    }
    expect(await priorities()).toEqual([20, 80]);
    for (const [name, priority] of [
      ['mmg', 51],
      ['firetext', 49],
    ] as const) {
      await harness.admin('POST', `/provider-details/${(await detailsOf(name)).id}`, { priority });
    }
  });
});

describe('a provider with slow receipts', () => {
  beforeEach(async () => {
    harness.clock.advance({ hours: 1 });
    gateways.answer = () => 'accept';
  });

  const receipts = async (ids: string[]) => {
    for (const id of ids) {
      const sent = gateways.sentTo(id).at(-1);
      const [type, payload] =
        sent?.gateway === 'mmg'
          ? ['application/json', JSON.stringify({ status: '3', CID: id })]
          : ['application/x-www-form-urlencoded', `status=0&reference=${id}`];
      const headers = { 'content-type': type };
      await harness.request({ method: 'POST', url: receiptPathOf(sent), headers, payload });
    }
  };
  const sentBy = async (ids: string[], provider: string) => {
    const messages = await Promise.all(ids.map((id) => messageOf(harness, id)));
    return messages.filter((message) => message.provider === provider).map(({ id }) => id);
  };

  it('loses some of its share', async () => {
    const ids = await someQueuedMessages(harness, await aService(harness), many(60));
    await harness.deliver();
    await receipts(await sentBy(ids, 'mmg'));
    harness.clock.advance({ minutes: 6 });
    await run('shift-from-slow-provider');
    expect(await priorities()).toEqual([61, 39]);
    expect((await detailsOf('firetext')).reason).toBe('100 % of its messages took five minutes or more');
    await run('shift-from-slow-provider');
    expect(await priorities()).toEqual([61, 39]);
  });

  it('keeps its share if all providers are slow, or if few messages are slow', async () => {
    await set('mmg', { priority: 51 });
    await set('firetext', { priority: 49 });
    harness.clock.advance({ minutes: 20 });
    await someQueuedMessages(harness, await aService(harness), many(40));
    await harness.deliver();
    harness.clock.advance({ minutes: 6 });
    await run('shift-from-slow-provider');
    expect(await priorities()).toEqual([51, 49]);

    harness.clock.advance({ minutes: 20 });
    const ids = await someQueuedMessages(harness, await aService(harness), many(100));
    await harness.deliver();
    await receipts(await sentBy(ids, 'mmg'));
    await receipts((await sentBy(ids, 'firetext')).slice(5));
    harness.clock.advance({ minutes: 6 });
    await run('shift-from-slow-provider');
    expect(await priorities()).toEqual([51, 49]);
  });
});

describe('GET /provider-details, POST /provider-details/{id}', () => {
  it('200 with every built-in provider', async () => {
    const all = await details();
    const builtIn = [...providers.map(({ name }) => name), 'dvla'];
    expect(all.map(({ identifier }: { identifier: string }) => identifier).sort()).toEqual(builtIn.sort());
    const mmg = await detailsOf('mmg');
    expect(Object.keys(mmg).sort()).toEqual([
      'active',
      'created_by_id',
      'created_by_name',
      'current_month_billable_sms',
      'display_name',
      'id',
      'identifier',
      'notification_type',
      'priority',
      'reason',
      'supports_international',
      'updated_at',
      'version',
    ]);
    expect(mmg.current_month_billable_sms).toBeGreaterThan(0);
    expect((await harness.admin('GET', `/provider-details/${mmg.id}`)).body.provider_details).toMatchObject({
      identifier: 'mmg',
    });
  });

  it('200 with the providers in use as active; another one only after a person has changed it', async () => {
    const vonage = await detailsOf('vonage');
    expect([(await detailsOf('mmg')).active, (await detailsOf('dvla')).active, vonage.active]).toEqual([
      true,
      true,
      false,
    ]);
    const shown = async () => (await harness.admin('GET', `/provider-details/${vonage.id}`)).body.provider_details;
    expect(await shown()).toMatchObject({ active: false, version: 1 });
    const versions = async () =>
      (await harness.admin('GET', `/provider-details/${vonage.id}/versions`)).body.data.map(
        ({ active }: { active: boolean }) => active,
      );
    expect(await versions()).toEqual([false]);
    const change = { active: true, priority: 20 };
    const changed = await harness.admin('POST', `/provider-details/${vonage.id}`, change);
    expect(changed.body.provider_details).toMatchObject(change);
    expect(await shown()).toMatchObject(change);
    expect(await versions()).toEqual([true, false]);
  });

  it('200 and changes the provider', async () => {
    const { id, version } = await detailsOf('firetext');
    const response = await harness.admin('POST', `/provider-details/${id}`, { active: false, reason: 'maintenance' });
    expect(response.status).toBe(200);
    expect(response.body.provider_details).toMatchObject({
      active: false,
      version: version + 1,
      reason: 'maintenance',
    });
    await harness.admin('POST', `/provider-details/${id}`, { active: true, priority: 0 });
    expect((await detailsOf('firetext')).reason).toBeNull();
  });

  it('200 with all versions and their authors', async () => {
    const { id, version } = await detailsOf('twilio');
    const created_by = await aUser(harness, { name: 'Grace', email_address: 'grace@example.gov.uk' });
    await harness.admin('POST', `/provider-details/${id}`, { reason: 'quieter', created_by });
    const { status, body } = await harness.admin('GET', `/provider-details/${id}/versions`);
    expect(status).toBe(200);
    expect(body.data[0]).toMatchObject({
      version: version + 1,
      reason: 'quieter',
      created_by_id: created_by,
      created_by_name: 'Grace',
      created_by: { id: created_by, name: 'Grace', email_address: 'grace@example.gov.uk' },
    });
    expect(body.data[1]).toMatchObject({ version, created_by_id: null, created_by: null });
  });

  it.each([
    [{ display_name: 'x', priority: 5 }, { display_name: ['Not permitted to be updated'] }],
    [
      { identifier: 'x', supports_international: true },
      { identifier: ['Not permitted to be updated'], supports_international: ['Not permitted to be updated'] },
    ],
    [{ priority: 101 }, { priority: ['Must be less than or equal to 100.'] }],
    [{ priority: -1 }, { priority: ['Must be greater than or equal to 0.'] }],
    [{ priority: 'high' }, { priority: ['Not a valid integer.'] }],
    [{ active: 'yes' }, { active: ['Not a valid boolean.'] }],
    [{ created_by: '6ce466d0-fd6a-11e5-82f5-e0accb9d11a6' }, { created_by: ['No result found'] }],
  ])('400 for %j', async (change, message) => {
    const response = await harness.admin('POST', `/provider-details/${(await detailsOf('mmg')).id}`, change);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown id', async () => {
    const unknown = '6ce466d0-fd6a-11e5-82f5-e0accb9d11a6';
    expect((await harness.admin('GET', `/provider-details/${unknown}`)).status).toBe(404);
    expect((await harness.admin('GET', `/provider-details/${unknown}/versions`)).status).toBe(404);
    expect((await harness.admin('POST', `/provider-details/${unknown}`, { priority: 1 })).status).toBe(404);
  });
});

describe('choosing a provider', () => {
  const place = (identifier: string, priority: number, more = {}) => ({
    id: identifier,
    identifier,
    priority,
    resting_priority: 50,
    active: true,
    supports_international: true,
    updated_at: null,
    ...more,
  });
  const provider = (name: string) => ({ name, send: async () => ({ kind: 'accepted' as const }) });
  const all = [provider('a'), provider('b')];
  const rateLimiterOf = (perSecond: number) => {
    const reserve = async () => ({ granted: 0, end_in_ms: 0 });
    return new ProviderRateLimiter({ provider: 'a', perSecond, reserve, log: harness.app.log });
  };

  it.each([
    [[{ priority: 51 }, { priority: 49 }], 0.5, 0],
    [[{ priority: 51 }, { priority: 49 }], 0.52, 1],
    [[{ priority: 0 }, { priority: 100 }], 0, 1],
    [[{ priority: 0 }], 0.9, 0],
    [[{ priority: 0 }, { priority: 0 }], 0.9, 1],
  ])('%j at %d is number %d', (candidates, random, index) => {
    expect(chooseByPriority(candidates, random)).toBe(candidates[index]);
  });

  it('considers only configured and active providers, and those that support international messages if needed', () => {
    const choice = new ProviderChoice(all, new Map(), () => 0);
    choice.update([place('a', 10, { supports_international: false }), place('b', 90), place('c', 100)]);
    expect(choice.choose({ international: false })).toBe('a');
    expect(choice.choose({ international: true })).toBe('b');
    expect(choice.choose({ international: false, avoid: 'a' })).toBe('b');
    expect(choice.choose({ international: false, required: 'b' })).toBe('b');
    choice.update([place('a', 10, { supports_international: false }), place('b', 90, { active: false })]);
    expect(choice.choose({ international: true })).toBeUndefined();
    expect(choice.noProviderSupports({ international: true })).toBe(true);
    expect(choice.choose({ international: false, avoid: 'a' })).toBe('a');
  });

  it('waits for the provider that may already have the message, unless it is inactive', () => {
    const choice = new ProviderChoice(all, new Map([['a', rateLimiterOf(10)]]), () => 0);
    choice.update([place('a', 50), place('b', 50)]);
    expect(choice.choose({ international: false, required: 'a' })).toBe('a');
    expect(choice.choose({ international: false, required: 'a' })).toBeUndefined();
    expect(choice.noProviderSupports({ international: false })).toBe(false);
    choice.update([place('a', 50, { active: false }), place('b', 50)]);
    expect(choice.choose({ international: false, required: 'a' })).toBe('b');
  });

  it.each([0, 0.25, 0.5, 0.99])('draws match the shares, starting at %d', (start) => {
    const choice = new ProviderChoice(all, new Map(), () => start);
    choice.update([place('a', 70), place('b', 30)]);
    const { home } = choice.draw(100);
    for (const length of [5, 10, 20]) {
      const toA = home.slice(0, length).filter((name) => name === 'a').length;
      expect(Math.abs(toA - 0.7 * length), `${length} draws`).toBeLessThanOrEqual(1);
    }
  });

  it('respects the rate limit of a provider', () => {
    const choice = new ProviderChoice(all, new Map([['a', rateLimiterOf(20)]]), () => 0);
    choice.update([place('a', 50), place('b', 50)]);
    expect([1, 2, 3].map(() => choice.choose({ international: false }))).toEqual(['a', 'a', 'b']);
    choice.release('a');
    expect([1, 2].map(() => choice.choose({ international: false }))).toEqual(['a', 'b']);
  });
});
