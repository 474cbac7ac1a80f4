import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../test/kit/world/console-people.ts';
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

  it.each([
    ['signs out', (id: string, service: string) => endOtherSessions(harness.app, id, service)],
    [
      'has a new password',
      (id: string) => harness.admin('POST', `/user/${id}/update-password`, { _password: 'another password' }),
    ],
    ['is archived', (id: string) => harness.admin('POST', `/user/${id}/archive`)],
  ])('ends with its session, at once, when the person %s', async (_reason, end) => {
    const { id, service, list, browser } = await member();
    expect((await browser.get(list, live)).status).toBe(200);
    harness.clock.advance({ seconds: 1 });
    await end(id, service);
    expect((await browser.get(list, live)).status).toBe(303);
    expect((await browser.get(list)).status).toBe(303);
    expect((await browser.post(`/console/services/${service}/messages`, { find: '' }, sameOrigin)).status).toBe(303);
  });

  it('of operators ends at once with the role', async () => {
    const { id } = await aPerson(harness, { read_only_operator: true });
    const browser = await signedIn(harness, id);
    expect((await browser.get('/console/operator/figures', live)).status).toBe(200);
    await harness.admin('POST', `/user/${id}`, { read_only_operator: false });
    expect((await browser.get('/console/operator/figures', live)).status).toBe(403);
  });

  it('reads the session only, while the rights are shared', async () => {
    const { browser } = await member();
    const page = '/console/sign-in/inbox/state';
    const first = await statementsOf(() => browser.get(page, live));
    expect(first).toHaveLength(2);
    expect(await statementsOf(() => browser.get(page, live))).toEqual(first.slice(0, 1));
    expect(first[0]).toContain('from "sessions"');
    expect(await statementsOf(() => browser.get(page))).toEqual(first);
  });

  it('is only what a page declares as one: other pages read the rights each time', async () => {
    const { id, service, browser } = await member();
    const pages = [
      '/console/account',
      `/console/services/${service}/messages`,
      `/console/services/${service}/templates`,
    ];
    const statuses = async () => Promise.all(pages.map(async (page) => (await browser.get(page, live)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    await harness.admin('DELETE', `/service/${service}/users/${id}`);
    expect(await statuses()).toEqual([200, 404, 404]);
    harness.clock.advance({ seconds: 1 });
    await harness.admin('POST', `/user/${id}/update-password`, { _password: 'another password' });
    expect(await statuses()).toEqual([303, 303, 303]);
  });
});

async function statementsOf(request: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await request();
  const texts = query.mock.calls.map(([text]) => (typeof text === 'string' ? text : JSON.stringify(text)));
  query.mockRestore();
  // Heartbeats come at any time.
  return texts.filter((text) => !text.includes('heartbeat'));
}

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
