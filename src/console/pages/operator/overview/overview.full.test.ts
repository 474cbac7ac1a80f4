import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { somePastMessages } from '../../../../../test/kit/builders/messages.ts';
import { someQueuedMessages } from '../../../../../test/kit/builders/queued-messages.ts';
import { aService, aTemplate, aUser } from '../../../../../test/kit/builders/rows.ts';
import { aCheckedUpload, smsRows } from '../../../../../test/kit/builders/uploads.ts';
import { useHarness } from '../../../../../test/kit/harness.ts';
import { startStubGateways } from '../../../../../test/kit/vendors/stub-gateways.ts';
import { aPerson, signedIn } from '../../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../../test/kit/world/console-visitor.ts';

const gateways = await startStubGateways();
afterAll(() => gateways.close());

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: {
    sms: { providers: ['mmg', 'firetext'] },
    providers: {
      mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' },
      firetext: { url: `${gateways.url}/firetext`, apiKey: 'x' },
    },
  },
});

let browser: ConsoleVisitor;
let service: string;

beforeAll(async () => {
  mkdirSync(harness.app.config.storage.dataDir, { recursive: true });
  browser = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
  service = await aService(harness, { name: 'Parking permits' });
});

/** A worker that is alive at this moment. */
async function aHeartbeat(): Promise<void> {
  await harness.app.pool.query(
    "insert into queue_workers values ('test', now()) on conflict (id) do update set seen_at = now()",
  );
}

beforeEach(aHeartbeat);

async function send(count: number): Promise<void> {
  await someQueuedMessages(
    harness,
    service,
    Array.from({ length: count }, () => ({})),
  );
  await harness.deliver();
}

async function wait(seconds: number): Promise<void> {
  harness.clock.advance({ seconds });
  await aHeartbeat();
}

/** The page shares what it read for some seconds: a new process reads again. */
async function page(): Promise<string> {
  const { http } = await harness.anotherProcess();
  const cookie = `pennypost_session=${browser.cookies.get('pennypost_session')}`;
  return (await http.inject({ url: '/console/operator', headers: { cookie } })).body;
}

async function verdict(): Promise<string> {
  const [, tone = '', html = ''] = /<section class="verdict tone-(\w+)".*?>(.*?)<\/section>/s.exec(await page()) ?? [];
  return `${tone}: ${html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()}`;
}

describe('GET /console/operator', () => {
  it('all is well while providers take what they get', async () => {
    await send(20);
    expect(await verdict()).toMatch(/^green: No problems/);
  });

  it('a provider that stops is named within half a minute, with what was done; its repair, too', async () => {
    gateways.answer = ({ gateway }) => (gateway === 'mmg' ? 'hang up' : 'accept');
    await wait(15);
    await send(200);
    await wait(10);
    const stopped = await verdict();
    expect(stopped).toMatch(/^red: MMG does not accept texts Since today, 12:00 : (\d+) of \1 calls failed\./);
    expect(stopped).toContain('Pennypost moved its share from 51 to 41 at 12:00:15');
    expect(stopped).toContain('Texts that it does not accept are sent again through Firetext.');

    gateways.answer = () => 'accept';
    await wait(10);
    await send(40);
    expect(await verdict()).toMatch(
      /^green: No problems MMG had problems: Pennypost moved its share from 51 to 41 at 12:00/,
    );
  });

  it('few failed calls are enough, and are forgotten a minute after the last', async () => {
    gateways.answer = ({ gateway }) => (gateway === 'mmg' ? { status: 500 } : 'accept');
    await wait(60);
    await send(20);
    expect(await verdict()).toMatch(/^red: MMG does not accept texts/);
    gateways.answer = () => 'accept';
    await wait(75);
    expect(await verdict()).toMatch(/^green/);
  });

  it('names a provider that cannot be reached, without a message', async () => {
    const changes = { providers: { mmg: { url: 'http://127.0.0.1:9/' } } };
    const { http } = await harness.anotherProcess(changes);
    const cookie = `pennypost_session=${browser.cookies.get('pennypost_session')}`;
    const { body } = await http.inject({ url: '/console/operator', headers: { cookie } });
    expect(body).toMatch(/<section class="verdict tone-red".*?MMG cannot be reached/s);
    const system = await http.inject({ url: '/console/operator/system', headers: { cookie } });
    expect(system.body).toMatch(/Problem<\/span><\/td>.*?mmg: 127\.0\.0\.1:9 cannot be reached/s);
  });

  it('names workers that are dead, messages that wait too long, and who waits for the operator', async () => {
    await harness.app.pool.query('delete from queue_workers');
    await someQueuedMessages(harness, service, [{}, {}]);
    harness.clock.advance({ minutes: 6 });
    await harness.app.db
      .updateTable('services')
      .set({ has_active_go_live_request: true, restricted: true })
      .where('id', '=', service)
      .execute();
    const body = await page();
    expect(body).toContain('No worker is running');
    expect(body).toMatch(/Texts are waiting too long.*?messages are due with normal priority/s);
    expect(body).toMatch(/Text, normal<\/th><td class="num">\d+<\/td><td class="num">6 min/);
    expect(body).toContain('1 service wants to go live');
  });

  it('names files that do not move', async () => {
    const template = await aTemplate(harness, service);
    const id = await aCheckedUpload(harness, service, template, smsRows(3));
    const created_by = await aUser(harness);
    expect((await harness.admin('POST', `/service/${service}/job`, { id, created_by })).status).toBe(201);
    await harness.app.pool.query('delete from graphile_worker._private_jobs');
    const problem = 'A file has not moved for 10 minutes';
    await wait(599);
    expect(await page()).not.toContain(problem);
    await wait(1);
    expect(await page()).toContain(problem);
    await harness.addTask('resume-jobs');
    await harness.runTasks();
    expect(await page()).not.toContain(problem);
  });

  it('counts letters that missed their print run or stay at the printer', async () => {
    const letter = { service_id: service, notification_type: 'letter', postage: 'second' } as const;
    await somePastMessages(harness, [
      { ...letter, created_at: '2026-11-10T12:00:00Z', status: 'created' },
      { ...letter, created_at: '2026-11-09T12:00:00Z', status: 'sending' },
      // Not late yet, and done.
      { ...letter, created_at: '2026-11-13T12:00:00Z', status: 'created' },
      { ...letter, created_at: '2026-11-12T12:00:00Z', status: 'sending' },
      { ...letter, created_at: '2026-11-09T12:00:00Z', status: 'delivered' },
    ]);
    const { http } = await harness.anotherProcess();
    const cookie = `pennypost_session=${browser.cookies.get('pennypost_session')}`;
    const { body } = await http.inject({ url: '/console/operator', headers: { cookie } });
    expect(body).toMatch(/2 letters are late<\/h2>.*?9 Nov.*?1 missed their print run, 1 have been at the printer/s);
  });

  it('has a fragment with the verdict first', async () => {
    const fragment = await browser.get('/console/operator/figures');
    expect(fragment.text).toMatch(
      /^<div data-live[^>]*><div class="stack stack--loose"><div class="stack"><section class="verdict/,
    );
  });
});
