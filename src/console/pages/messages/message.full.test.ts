import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aLetter } from '../../../../test/kit/builders/letters.ts';
import { aQueuedMessage } from '../../../../test/kit/builders/queued-messages.ts';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { receiptPathOf, startCallbackSink, startStubGateways } from '../../../../test/kit/vendors/stub-gateways.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../../../../test/kit/world/console-visitor.ts';

const gateways = await startStubGateways();
const sink = await startCallbackSink();
afterAll(() => Promise.all([gateways.close(), sink.close()]));

const harness = useHarness({
  now: '2026-11-13T12:00:00Z',
  config: {
    sms: { providers: ['mmg', 'firetext'] },
    providers: {
      mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' },
      firetext: { url: `${gateways.url}/firetext`, apiKey: 'x' },
      sandbox: { delay_ms: 0 },
    },
    callbacks: { allowPrivate: true, retryDelays_ms: [5_000] },
  },
});

let service: string;
let browser: ConsoleVisitor;
const pageOf = (id: string) => `/console/services/${service}/messages/${id}`;

beforeAll(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness, { name: 'Town Hall' });
  await joinService(harness, service, id);
  browser = await signedIn(harness, id);
});

/** Titles and texts of the timeline. */
function timelineOf({ text }: Page): string[] {
  return [...text.matchAll(/<h3>(.*?)<\/h3><p>(.*?)<\/p>/gs)].map(([, title, more]) => `${title}: ${more}`);
}

const keptAttempts = () => harness.app.db.selectFrom('failed_attempts').selectAll().execute();
const attemptsOf = async (id: string) =>
  (await harness.admin('GET', `/service/${service}/notifications/${id}/attempts`)).body.attempts;

async function receipt(id: string, fields: string) {
  return harness.request({
    method: 'POST',
    url: receiptPathOf(gateways.sentTo(id).at(-1)),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: fields,
  });
}

async function deliverOne(): Promise<string> {
  const created = await aQueuedMessage(harness, service);
  await harness.deliver();
  return created;
}

describe('a text whose first provider fails', () => {
  let id: string;

  it('has both attempts, the receipt and the deletion in its timeline', async () => {
    gateways.answer = ({ gateway, reference }) =>
      gateways.sentTo(reference).length > 1 || gateway === 'firetext' ? 'accept' : { status: 503 };
    // The first provider is drawn by chance.
    do id = await deliverOne();
    while (gateways.sentTo(id)[0]?.gateway !== 'mmg');
    const failed = {
      outcome: 'failed',
      provider: 'mmg',
      reason: 'answered 503',
      retry_at: '2026-11-13T12:00:00.000000Z',
    };
    expect(await attemptsOf(id)).toMatchObject([
      failed,
      { outcome: 'handed-over', provider: 'firetext', reason: null },
    ]);
    harness.clock.advance({ seconds: 5 });
    expect((await receipt(id, `reference=${id}&status=1&code=000&time=2026-11-13+12:00:05&mobile=1`)).status).toBe(200);
    const page = await browser.get(pageOf(id));
    expect([page.status, page.h1]).toEqual([200, 'Text to 07700 900123']);
    expect(timelineOf(page)).toEqual([
      expect.stringMatching(/^Accepted: /),
      expect.stringMatching(/^MMG did not accept it after \d+ ms: Answered 503. We tried again at once.$/),
      'Handed to Firetext: 0 ms after it was accepted',
      expect.stringMatching(/^Receipt: phone not accepting messages right now: Temporary failure$/),
      'Deleted on 21 November, after 7 days: We keep the totals.',
    ]);
    expect(page.text).toContain('The phone could not be reached for too long.');
    expect(page.text).toContain('<dd>1 part');
    expect(page.text).toContain('21 Nov');
    expect(page.text).toContain('&quot;status&quot;: &quot;temporary-failure&quot;');
    expect(page.text).toContain(`/v2/notifications/${id}`);
  });

  it('404 in another service', async () => {
    const other = await aService(harness);
    expect((await harness.admin('GET', `/service/${other}/notifications/${id}/attempts`)).status).toBe(404);
    const admin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    expect((await admin.get(`/console/services/${other}/messages/${id}`)).status).toBe(404);
  });
});

describe('a message that failed', () => {
  it('is sent again with the same values, as a new message', async () => {
    gateways.answer = () => 'accept';
    const template_id = await aTemplate(harness, service, { content: 'Hello ((name))' });
    const id = await aQueuedMessage(harness, service, { template_id, personalisation: { name: 'Ada' } });
    expect((await browser.post(`${pageOf(id)}/send-again`)).status).toBe(400);
    await harness.deliver();
    await harness.app.db
      .updateTable('notifications')
      .set({ status: 'temporary-failure' })
      .where('id', '=', id)
      .execute();
    const page = await browser.get(pageOf(id));
    expect(page.text).toContain('Send again');
    const posted = await browser.post(`${pageOf(id)}/send-again`);
    const sent = await browser.follow(posted);
    expect(posted.location).not.toContain(id);
    expect(sent.text).toContain('Hello Ada');
    expect(sent.text).toContain('your-reference');
    expect(sent.text).not.toContain('Send again');
  });
});

describe('a callback', () => {
  it('is in the timeline, and is sent again from there', async () => {
    await harness.admin('POST', `/service/${service}/callback-api`, {
      callback_type: 'delivery_status',
      url: `${sink.url}/hook`,
      bearer_token: 'a-bearer-token',
      updated_by_id: (await aPerson(harness)).id,
    });
    sink.answer = () => 500;
    const id = await aQueuedMessage(harness, service, { notification_type: 'email' });
    for (let pass = 0; pass < 4; pass += 1) {
      await harness.deliver();
      // The first attempt has failed, the second is to come.
      if (pass === 0) {
        expect((await browser.get(`/console/services/${service}`)).text).toContain('1 callback is waiting');
      }
      harness.clock.advance({ minutes: 1 });
    }
    const page = await browser.get(pageOf(id));
    expect(timelineOf(page).at(-2)).toMatch(/^We could not tell your system: its status: .*\/hook responded 500 in/);
    const replay = /action="([^"]+\/replay)"/.exec(page.text)?.[1] ?? '';
    sink.answer = () => 204;
    await browser.post(replay);
    await harness.deliver();
    expect(timelineOf(await browser.get(pageOf(id))).at(-2)).toMatch(
      /^We told your system: its status: .*responded 204/,
    );
    const other = await aQueuedMessage(harness, service);
    expect((await browser.post(replay.replace(id, other))).status).toBe(404);
    const sender = (await aPerson(harness)).id;
    await joinService(harness, service, sender, ['send_messages']);
    const asSender = await signedIn(harness, sender);
    expect((await asSender.post(replay)).status).toBe(403);
    expect((await asSender.get(pageOf(id))).text).not.toContain('Replay');
  });
});

describe('an email', () => {
  it('is shown in a sandboxed frame, as it was sent', async () => {
    const template_id = await aTemplate(harness, service, {
      template_type: 'email',
      subject: 'Hi ((name))',
      content: '# Hello ((name))\n\n((thing))',
    });
    const values = { name: '<b>Ada</b>', thing: 'engines' };
    const id = await aQueuedMessage(harness, service, {
      notification_type: 'email',
      template_id,
      personalisation: values,
    });
    const page = await browser.get(pageOf(id));
    expect(page.text).toContain(`src="${pageOf(id)}/email"`);
    expect(page.text).toContain('Hi &lt;b>Ada&lt;/b>');
    const frame = await browser.get(`${pageOf(id)}/email`);
    expect(frame.headers['content-security-policy']).toMatch(/^sandbox allow-popups [\w-]+; default-src 'none'/);
    expect(frame.text).toContain('engines');
    expect(frame.text).not.toContain('<b>Ada</b>');
    expect((await browser.get(`${pageOf(id)}?view=text`)).text).toContain('engines');
  });

  it('has no values where its template hides them', async () => {
    const template_id = await aTemplate(harness, service, { content: 'Code ((code))' });
    await harness.admin('POST', `/service/${service}/template/${template_id}`, {
      redact_personalisation: true,
      created_by: (await aPerson(harness)).id,
    });
    const id = await aQueuedMessage(harness, service, { template_id, personalisation: { code: 'secret-4711' } });
    const { status, text } = await browser.get(pageOf(id));
    expect(status).toBe(200);
    expect(text).not.toContain('secret-4711');
    expect(text).toContain('[hidden]');
  });
});

describe('a letter', () => {
  it('shows its print day and arrival, and can be cancelled until it is printed', async () => {
    const template = await aTemplate(harness, service, { template_type: 'letter' });
    const id = await aLetter(harness, service, template);
    const page = await browser.get(pageOf(id));
    expect(page.text).toContain('Friday 13 November after 17:30');
    expect(page.text).toContain('about Monday 23 November');
    expect(page.text).toContain('Cancel sending');
    const cancelled = await browser.follow(await browser.post(`${pageOf(id)}/cancel`));
    expect(cancelled.text).toContain('Letter cancelled.');
    expect(timelineOf(cancelled)).toContain('Cancelled: The message was not sent.');
    expect((await browser.post(`${pageOf(id)}/cancel`)).problems['']).toBe('This letter has already been cancelled.');
  });
});

describe('failed attempts', () => {
  it('go with the personal data of their message, and with the message', async () => {
    await harness.admin('POST', '/platform-admin/erase-recipient', { recipient: '07700900123' });
    expect(await keptAttempts()).toEqual([]);
    gateways.answer = () => ({ status: 400, body: { Error: 'bad number 447700900123' } });
    const another = await deliverOne();
    expect(await attemptsOf(another)).not.toEqual([]);
    expect(JSON.stringify(await attemptsOf(another))).not.toContain('7700900123');
    await harness.app.db.deleteFrom('notifications').where('id', '=', another).execute();
    harness.clock.advance({ days: 1 });
    await harness.addTask('apply-retention');
    await harness.runTasks();
    expect((await keptAttempts()).map((kept) => kept.notification_id)).not.toContain(another);
  });
});
