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

  const waitsAt = async (share: number, parts: number) => {
    const { list, browser } = await member();
    vi.spyOn(harness.app.bulkPace, 'share').mockReturnValue(share);
    const waits: unknown[] = [];
    for (let count = 0; count < parts; count += 1) waits.push((await browser.get(list, live)).headers['retry-after']);
    expect((await browser.get(list)).headers['retry-after']).toBeUndefined();
    return waits;
  };

  it('few live parts hardly wait, many wait for their turn, none longer than a minute', async () => {
    expect(await waitsAt(1, 1)).toEqual([undefined]);
    const waits = (await waitsAt(0.05, 200)).map(Number);
    expect(waits[0]).toBe(1);
    expect(waits[49]).toBeGreaterThan(10);
    expect(waits.at(-1)).toBe(60);
  });
});
