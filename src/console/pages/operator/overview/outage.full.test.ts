import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { someQueuedMessages } from '../../../../../test/kit/builders/queued-messages.ts';
import { aService } from '../../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../../test/kit/harness.ts';
import { startStubGateways } from '../../../../../test/kit/vendors/stub-gateways.ts';
import { aPerson, joinService, signedIn } from '../../../../../test/kit/world/console-people.ts';
import { metricsOf } from '../../../../../test/kit/world/metrics.ts';
import { measureQueues } from '../../../../delivery/queue-check.ts';

const gateways = await startStubGateways();
afterAll(() => gateways.close());

/** One provider: what it does not take waits. */
const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { sms: { providers: ['mmg'] }, providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' } } },
});

let cookie: string;
let service: string;

beforeAll(async () => {
  mkdirSync(harness.app.config.storage.dataDir, { recursive: true });
  const browser = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
  cookie = `pennypost_session=${browser.cookies.get('pennypost_session')}`;
  service = await aService(harness, { name: 'Parking permits' });
  measureQueues(harness.app);
});

beforeEach(async () => {
  gateways.answer = () => 'accept';
  gateways.answerCheck = { status: 405 };
});

/** Words of a page of the service, for a member of its team. */
async function teamPage(path = ''): Promise<string> {
  const { id } = await aPerson(harness);
  await joinService(harness, service, id);
  const session = `pennypost_session=${(await signedIn(harness, id)).cookies.get('pennypost_session')}`;
  const { http } = await harness.anotherProcess();
  const { body } = await http.inject({ url: `/console/services/${service}${path}`, headers: { cookie: session } });
  return body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

async function send(count: number, fields: object = {}): Promise<void> {
  await someQueuedMessages(harness, service, Array(count).fill(fields));
  await harness.deliver();
}

/** Words of the page. It shares what it read for some seconds, so a new process reads again. */
async function overview(page = ''): Promise<string> {
  await harness.app.pool.query(
    "insert into queue_workers values ('test', now()) on conflict (id) do update set seen_at = now()",
  );
  const { http } = await harness.anotherProcess();
  const { body } = await http.inject({ url: `/console/operator${page}`, headers: { cookie } });
  return body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

const retryMetrics = async () =>
  (await metricsOf(harness)).split('\n').filter((line) => /^delivery_retry_\w+\{notification_type="sms"/.test(line));

describe('GET /console/operator in an outage of the only provider', () => {
  it('says since when it fails: since the first failure after the last success', async () => {
    // One message is refused beside another that is taken, minutes before the outage.
    gateways.answer = ({ reference }) => (reference === refused ? { status: 500 } : 'accept');
    const [refused] = await someQueuedMessages(harness, service, [{}, {}]);
    await harness.deliver();
    harness.clock.advance({ minutes: 10 });
    gateways.answer = () => ({ status: 500 });
    await send(20);
    const page = await overview();
    expect(page).toMatch(/MMG does not accept texts Since today, 12:10 : 41 of 41 calls failed\./);
    expect(page).toContain('The texts wait. Each is tried again for up to 4 hours, then it fails.');
    const told = 'Texts have been delayed since 12:10. We are trying again. You do not need to send them again.';
    for (const path of ['', '/messages']) expect(await teamPage(path), path).toContain(told);
  });

  it('counts the messages that wait, although none is due', async () => {
    harness.clock.advance({ minutes: 2 });
    const page = await overview();
    expect(await teamPage()).toContain('Texts have been delayed since 12:10.');
    expect(page).toContain('waiting, oldest 12 min 21 ');
    expect(page).toContain('Text, after a failed attempt 21 12 min');
    expect(page).toMatch(
      /Texts are waiting for another attempt Since today, 12:00 : Attempts to send 21 messages have failed\./,
    );
    expect(await retryMetrics()).toEqual([
      'delivery_retry_messages{notification_type="sms"} 21',
      'delivery_retry_age_seconds{notification_type="sms"} 720',
    ]);
  });

  it('counts those that are tried again at this moment, but not scheduled and first attempts', async () => {
    await someQueuedMessages(harness, service, [{}, { scheduled_for: '2026-11-20T12:00:00Z' }]);
    const { pool } = harness.app;
    await pool.query('update delivery_queue set leased_by = gen_random_uuid(), attempts = attempts + 1');
    const [messages] = await retryMetrics();
    expect(messages).toBe('delivery_retry_messages{notification_type="sms"} 21');
    await pool.query('update delivery_queue set leased_by = null, attempts = attempts - 1');
  });

  it('is over when the provider takes them', async () => {
    harness.clock.advance({ minutes: 10 });
    await harness.deliver();
    expect(await retryMetrics()).toEqual([
      'delivery_retry_messages{notification_type="sms"} 0',
      'delivery_retry_age_seconds{notification_type="sms"} 0',
    ]);
    expect(await overview()).not.toContain('wait for another attempt');
    for (const path of ['', '/messages']) expect(await teamPage(path), path).not.toContain('have been delayed');
  });

  it('takes the age of a scheduled message from its time', async () => {
    gateways.answer = () => ({ status: 500 });
    const created_at = '2026-11-13T12:00:00Z';
    await send(1, { created_at, scheduled_for: harness.clock.now().toISOString() });
    harness.clock.advance({ seconds: 30 });
    expect((await retryMetrics())[1]).toBe('delivery_retry_age_seconds{notification_type="sms"} 30');
    gateways.answer = () => 'accept';
    harness.clock.advance({ minutes: 5 });
    await harness.deliver();
  });
});

describe('GET /console/operator while a check fails', () => {
  it('says that messages are sent all the same', async () => {
    gateways.answerCheck = 'hang up';
    harness.clock.advance({ minutes: 2 });
    await send(1);
    const page = await overview();
    expect(page).toContain('The check of MMG has failed');
    expect(page).toContain('MMG still accepts texts: no call has failed.');
    expect(page).not.toContain('MMG cannot be reached');
  });

  it('says that messages may wait if there was no call', async () => {
    gateways.answerCheck = 'hang up';
    harness.clock.advance({ minutes: 2 });
    const page = await overview();
    expect(page).toContain('MMG cannot be reached');
    expect(page).toContain('No call has failed yet. The texts wait.');
  });

  it('says that a check did not finish', async () => {
    gateways.answerCheck = undefined;
    const page = await overview();
    expect(page).toMatch(/The check of MMG did not finish .*mmg: the check did not finish within 5 s:/);
    expect(page).not.toMatch(/cannot be reached|status page/);
  });
});
