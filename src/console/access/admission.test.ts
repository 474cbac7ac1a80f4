import { afterEach, describe, expect, it, vi } from 'vitest';
import { aService } from '../../../test/kit/builders.ts';
import { aPerson, joinService, signedIn } from '../../../test/kit/console-people.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { endOtherSessions } from '../sessions/sessions.ts';

const harness = useHarness();
const live = { 'x-live-part': 'true' };
const sameOrigin = { ...live, 'sec-fetch-site': 'same-origin' };

async function member() {
  const { id } = await aPerson(harness);
  const service = await aService(harness);
  await joinService(harness, service, id, ['view_activity', 'manage_settings']);
  return { id, service, list: `/console/services/${service}/messages/list`, browser: await signedIn(harness, id) };
}

describe('a live part', () => {
  it('is shared with nobody who may not see it', async () => {
    const { list, browser } = await member();
    const stranger = await signedIn(harness, (await aPerson(harness)).id);
    const statuses = [];
    for (const visitor of [browser, stranger, browser]) statuses.push((await visitor.get(list, live)).status);
    expect(statuses).toEqual([200, 404, 200]);
  });

  it('may outlive its session for moments, but no page and no form does', async () => {
    const { id, service, list, browser } = await member();
    expect((await browser.get(list, live)).status).toBe(200);
    await endOtherSessions(harness.app, id, service);
    expect((await browser.get(list, live)).status).toBe(200);
    expect((await browser.get(list)).status).toBe(303);
    expect((await browser.post(`/console/services/${service}/messages`, { find: '' }, sameOrigin)).status).toBe(303);
  });
});

describe('on a busy server', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    [1, undefined],
    [0.5, '6'],
    [0.05, '60'],
  ])('at a pace of %d, a live part is asked to wait: %s', async (share, expected) => {
    const { list, browser } = await member();
    vi.spyOn(harness.app.bulkPace, 'share').mockReturnValue(share);
    const { headers } = await browser.get(list, live);
    expect(headers['retry-after']).toBe(expected);
    expect((await browser.get(list)).headers['retry-after']).toBeUndefined();
  });
});
