import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { buildDelivery } from '../src/delivery/delivery.ts';
import { findSentEmail } from '../src/delivery/sandbox/email-sources.ts';
import { compileTemplate } from '../src/rendering/template.ts';
import { createEmailThreads } from '../src/templates/email-threads.ts';
import { anApiKey, aService, aTemplate } from './kit/builders/rows.ts';
import { useHarness } from './kit/harness.ts';
import { isLongRun } from './kit/process/process-environment.ts';
import { longestTurn_ms, processorTime_ms } from './kit/process/processor-time.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z', config: { delivery: { concurrency: 8 } } });
afterEach(() => vi.restoreAllMocks());

const subject = 'Subject';
const times = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const links = (length: number) => times('[a](http://b.c) ', length);
const compile = (content: string) => compileTemplate({ template_type: 'email', subject, content });

async function aSender(content: string, fields: Parameters<typeof aService>[1] = {}) {
  const service = await aService(harness, fields);
  const template_id = await aTemplate(harness, service, { template_type: 'email', subject, content });
  const key = await anApiKey(harness, service);
  const send = (personalisation = {}) =>
    harness.v2('POST', '/v2/notifications/email', key, {
      email_address: 'ada@example.org',
      template_id,
      personalisation,
    });
  const preview = (personalisation = {}, process: Pick<typeof harness, 'v2'> = harness) =>
    process.v2('POST', `/v2/template/${template_id}/preview`, key, { personalisation });
  return { service, template_id, key, send, preview };
}

async function unsentOf(service: string): Promise<number> {
  const rows = await harness.app.db
    .selectFrom('notifications')
    .select('id')
    .where('service_id', '=', service)
    .where('status', '=', 'created')
    .execute();
  return rows.length;
}

describe('a long email', () => {
  const patterns = {
    links: [links(60_000), {}],
    'less than': [times('<', 30_000), {}],
    'QR codes': [times('qr:a\n\n', 30_000), {}],
    lists: [times('* a\n', 30_000), {}],
    'tables of placeholders': [times('| ((a)) | ((b)) |\n', 30_000), { a: '"é"', b: ['x', 'y'] }],
    'a long value': ['x ((a)) y', { a: links(30_000) }],
    'an outline': [times('Dear ((a)), it\'s "here" - [b](http://c.d/((a)))\n\n', 30_000), { a: 'Ada' }],
  } as const;
  const threads = createEmailThreads();
  afterAll(() => threads.close());

  it.each(Object.entries(patterns))('is the same to the byte in a thread: %s', async (_, [content, values]) => {
    const template = compile(content);
    const options = { brand: null, platform: { name: 'P' }, unsubscribe_link: 'https://u.example/1' };
    const tasks = threads.inBackground('a');
    const expected = template.message(values, options);
    expect(await tasks.run('renderMessage', template.source, values, options)).toEqual(expected);
    // From the outline that the first rendering has left in the thread.
    expect(await tasks.run('renderMessage', template.source, values, options)).toEqual(expected);
  });

  it('200 with the same preview, written by a thread', async () => {
    const forRequest = vi.spyOn(harness.app.emailThreads, 'forRequest');
    const content = `${links(20_000)} "é" \u2028 \ud83d\ude00 ((a))`;
    const { template_id, service, preview } = await aSender(content);
    const values = { a: '\ud800 <b> \\ "' };
    const { status, headers, body } = await preview(values);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const template = compile(content);
    expect(body).toEqual({
      id: template_id,
      type: 'email',
      version: 1,
      body: template.body(values),
      subject,
      html: template.htmlFragment(values),
      postage: null,
    });
    expect(forRequest.mock.calls).toEqual([[service]]);
  });

  it('short ones are rendered without a thread', async () => {
    const forRequest = vi.spyOn(harness.app.emailThreads, 'forRequest');
    const inBackground = vi.spyOn(harness.app.emailThreads, 'inBackground');
    const { preview, send } = await aSender(links(9_000));
    expect((await preview()).status).toBe(200);
    expect((await send()).status).toBe(201);
    await harness.deliver();
    expect(forRequest.mock.calls.length + inBackground.mock.calls.length).toBe(0);
  });

  it('is delivered as rendered, and shown in the console preview of the admin API', async () => {
    const content = `${links(100_000)} "é" \ud83d\ude00 ((a))`;
    const { service, send } = await aSender(content);
    const { body } = await send({ a: 'Ada' });
    await harness.deliver();
    const sent = await findSentEmail(harness.app, body.id);
    const template = compile(content);
    expect(sent?.html).toContain(template.htmlFragment({ a: 'Ada' }));
    expect(sent?.text.trim()).toBe(template.plainText({ a: 'Ada' }).trim());
    const forRequest = vi.spyOn(harness.app.emailThreads, 'forRequest');
    const draft = { template_type: 'email', subject, content, personalisation: { a: 'Ada' } };
    const shown = await harness.admin('POST', `/service/${service}/template/preview-draft`, draft);
    expect(shown.body.data.html).toContain(template.htmlFragment({ a: 'Ada' }));
    expect(forRequest).toHaveBeenCalledOnce();
  });

  it('400 for values that would make gigabytes of it', async () => {
    const { send, preview } = await aSender(times('((a)) ', 100_000));
    const refusal = [
      {
        error: 'BadRequestError',
        message: expect.stringMatching(
          /^Your message is too long\. Emails cannot be longer than 2000000 bytes\. Your message is \d+ bytes\.$/,
        ),
      },
    ];
    for (const call of [send, preview]) {
      const { status, body } = await call({ a: times('x', 200_000) });
      expect([status, body.errors]).toEqual([400, refusal]);
    }
  });
});

describe('many long emails of one service', () => {
  const longest = isLongRun ? 1_900_000 : 600_000;

  it('never block the event loop, and another service is served', { timeout: 300_000 }, async () => {
    const heavy = await aSender(links(longest));
    const other = await aSender('Hello ((name))');
    const template = compile(links(longest));
    const rendering_ms = processorTime_ms(() => template.message({}, { brand: null, platform: { name: 'P' } }));
    const order: string[] = [];
    const noted = async (who: string, work: Promise<{ status: number }>) => {
      const { status } = await work;
      order.push(who);
      return status;
    };
    const work = async () => {
      const previews = Array.from({ length: 2 }, () => noted('heavy', heavy.preview()));
      const sends = Array.from({ length: 2 }, () => heavy.send().then(({ status }) => status));
      const others = [noted('other', other.preview({ name: 'Ada' })), noted('other', other.send({ name: 'Ada' }))];
      expect(await Promise.all(others)).toEqual([200, 201]);
      expect(order).toEqual(['other', 'other']);
      expect(await Promise.all([...previews, ...sends])).toEqual([200, 200, 201, 201]);
      // A started worker renews its leases while emails wait for a thread.
      const delivery = buildDelivery(harness.app);
      delivery.start();
      await vi.waitFor(async () => expect(await unsentOf(heavy.service)).toBe(0), { timeout: 200_000 });
      await delivery.stop();
    };
    const most = await longestTurn_ms(work);
    expect(most).toBeLessThan(Math.max(rendering_ms / 2, 1));
  });

  it('take turns with those of another service', { timeout: 120_000 }, async () => {
    const heavy = await aSender(links(200_000));
    const other = await aSender(links(20_000));
    const order: string[] = [];
    const previews = Array.from({ length: 8 }, () => heavy.preview().then(() => order.push('heavy')));
    await vi.waitFor(() => expect(order.length).toBeGreaterThan(0), { timeout: 60_000, interval: 1 });
    previews.push(other.preview().then(() => order.push('other')));
    await Promise.all(previews);
    expect(order.indexOf('other')).toBeLessThan(order.lastIndexOf('heavy'));
  });

  it('429 for more previews than may wait', { timeout: 120_000 }, async () => {
    const { preview } = await aSender(links(100_000));
    const answers = await Promise.all(Array.from({ length: 40 }, () => preview()));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBe(40 - refused.length);
    expect(refused[0]?.headers['retry-after']).toBe('5');
    expect(refused[0]?.body.errors).toEqual([
      {
        error: 'TooManyRequestsError',
        message: 'Too many long emails of this service are being rendered - try again in a few seconds',
      },
    ]);
  });
});

describe('delivery', () => {
  it('hands over messages of others while all threads are busy with long emails of one service', async () => {
    const heavy = await aSender(links(20_000));
    const other = await aSender('Hello');
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { emailThreads } = harness.app;
    const real = emailThreads.inBackground;
    let most = 0;
    let running = 0;
    vi.spyOn(emailThreads, 'inBackground').mockImplementation((owner) => ({
      run: async (...task) => {
        running += 1;
        most = Math.max(most, running);
        await gate;
        return real(owner)
          .run(...task)
          .finally(() => {
            running -= 1;
          });
      },
    }));
    for (let index = 0; index < 40; index += 1) expect((await heavy.send()).status).toBe(201);
    const delivery = buildDelivery(harness.app);
    delivery.start();
    try {
      await vi.waitFor(() => expect(running).toBe(4), { timeout: 20_000 });
      for (let index = 0; index < 20; index += 1) expect((await other.send()).status).toBe(201);
      await vi.waitFor(async () => expect(await unsentOf(other.service)).toBe(0), { timeout: 20_000 });
      expect(await unsentOf(heavy.service)).toBe(40);
      open();
      await vi.waitFor(async () => expect(await unsentOf(heavy.service)).toBe(0), { timeout: 60_000 });
      expect(most).toBe(4);
    } finally {
      open();
      await delivery.stop();
    }
  }, 120_000);
});

describe('the rate limit', () => {
  const exceeded = (limit: number) => ({
    status_code: 429,
    errors: [
      {
        error: 'RateLimitError',
        message: `Exceeded rate limit for key type LIVE of ${limit} requests per 60 seconds`,
      },
    ],
  });
  const ofLength = (length: number) => times('x', length - subject.length);
  const remaining = async (answer: ReturnType<typeof harness.v2>) =>
    Number((await answer).headers['ratelimit-remaining']);

  it.each([
    [10, 1],
    [50_000, 1],
    [50_001, 2],
    [120_000, 3],
  ])('counts an email of %i characters as %i requests', async (length, requests) => {
    const { send, preview } = await aSender(ofLength(length), { rate_limit: 100 });
    expect([await remaining(send()), await remaining(send())]).toEqual([100 - requests, 100 - 2 * requests]);
    expect([await remaining(preview()), await remaining(preview())]).toEqual([3_000 - requests, 3_000 - 2 * requests]);
  });

  it('counts the values, each as often as it is printed, and those of no placeholder not at all', async () => {
    const { send } = await aSender('((a)) ((a)) ((b))', { rate_limit: 100 });
    expect(await remaining(send({ a: ofLength(50_000), b: '', c: ofLength(90_000) }))).toBe(97);
  });

  it('429 as for any other request, once long emails have used it up', async () => {
    const { send } = await aSender('((a))', { rate_limit: 5 });
    const long = { a: ofLength(200_000) };
    expect([await remaining(send(long)), await remaining(send({ a: 'x' }))]).toEqual([0, 0]);
    const { status, body, headers } = await send({ a: 'x' });
    expect([status, body, headers['ratelimit-remaining']]).toEqual([429, exceeded(5), '0']);
  });

  it('201 for an email that counts as more than the limit', async () => {
    const { send } = await aSender('((a))', { rate_limit: 2 });
    expect((await send({ a: ofLength(1_900_000) })).status).toBe(201);
    expect((await send({ a: 'x' })).body).toEqual(exceeded(2));
  });
});
