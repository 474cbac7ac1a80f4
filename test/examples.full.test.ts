import { beforeAll, describe, expect, it } from 'vitest';
import { recordInboundText } from '../src/inbound/inbound-texts.ts';
import { type Demo, ensureDemo } from '../src/operations/demo.ts';
import { inTransaction } from '../src/platform/db/database.ts';
import { anApiKey, aService } from './kit/builders/rows.ts';
import { type Answer, useHarness } from './kit/harness.ts';

/** The examples in the reference of the public API are real: each request gives the response it shows. */

interface Media {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Operation {
  parameters?: { name: string; in: string; example?: unknown; schema: { examples?: unknown[] } }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
let demo: Demo;
let paths: Record<string, Record<string, Operation>>;

beforeAll(async () => {
  demo = await ensureDemo(harness.app);
  paths = (await harness.request({ method: 'GET', url: '/openapi.json' })).body.paths;
});

function examplesIn(content: Record<string, Media> = {}): unknown[] {
  const { example, examples = {} } = content['application/json'] ?? Object.values(content)[0] ?? {};
  return example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
}

/** Ids, times and the address of the server differ from run to run. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/https?:\/\/localhost:\d+/g, '<server>');
  return JSON.parse(text);
}

/** An operation with the body of its example; `ids` replace the ids in its path. */
function call(line: string, ids: Record<string, string> = {}, body?: object): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ');
  const { parameters = [] } = paths[path]?.[method.toLowerCase()] ?? {};
  const given = (name: string) => {
    const { example, schema } = parameters.find((parameter) => parameter.name === name) ?? { schema: {} };
    return String(ids[name] ?? example ?? schema.examples?.[0] ?? '');
  };
  const query = parameters.filter((parameter) => parameter.in === 'query' && given(parameter.name) !== '');
  const search = new URLSearchParams(query.map(({ name }): [string, string] => [name, given(name)]));
  const url = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => given(name));
  return harness.v2(method as 'GET', `${url}${search.size > 0 ? `?${search}` : ''}`, demo.api_key, body);
}

function operation(line: string): Operation {
  const [method = '', path = ''] = line.split(' ');
  return paths[path]?.[method.toLowerCase()] as Operation;
}

describe.each([
  ['sms', 201],
  ['email', 201],
  ['letter', 201],
] as const)('POST /v2/notifications/%s', (channel, status) => {
  it(`${status} with the response of the example`, async () => {
    const line = `POST /v2/notifications/${channel}`;
    const { requestBody, responses } = operation(line);
    const answers = examplesIn(responses[status]?.content);
    const bodies = examplesIn(requestBody?.content) as object[];
    for (const [index, body] of bodies.entries()) {
      const own = 'template_id' in body ? { template_id: demo.templates[channel] } : {};
      const response = await call(line, {}, { ...body, ...own });
      expect(response.status).toBe(status);
      expect(comparable(response.body)).toEqual(comparable(answers[index]));
    }
    expect(answers.length).toBe(bodies.length);
    await harness.deliver();
    harness.clock.advance({ seconds: 5 });
    await harness.deliver();
  });
});

describe('POST /v2/notifications/bulk', () => {
  const line = 'POST /v2/notifications/bulk';
  const send = (change: object, query = '', headers = {}) => {
    const [example] = examplesIn(operation(line).requestBody?.content) as object[];
    const body = { ...example, template_id: demo.templates.sms, ...change };
    return harness.v2('POST', `/v2/notifications/bulk${query}`, demo.api_key, body, headers);
  };
  const rows = [
    ['phone number', 'name', 'day', 'reference'],
    ['07700900123', 'Ada', 'Friday', 'appointment-4711'],
    ['07700', 'Grace', 'Monday', 'appointment-4712'],
  ];

  it.each([
    [201, () => send({})],
    [200, () => send({ rows }, '?dry_run=true')],
    [415, () => send({}, '', { 'content-type': 'text/plain' })],
  ])('%i with the response of the example', async (status, request) => {
    const response = await request();
    expect(response.status).toBe(status);
    expect([comparable(response.body)]).toEqual(examplesIn(operation(line).responses[status]?.content).map(comparable));
  });
});

describe('reading a bulk send', () => {
  it.each(['GET /v2/notifications/bulk', 'GET /v2/notifications/bulk/{job_id}'])(
    '%s: 200 with the example',
    async (line) => {
      await harness.runTasks();
      const { body: list } = await harness.v2('GET', '/v2/notifications/bulk', demo.api_key);
      const response = await call(line, { job_id: list.bulk_jobs[0].id });
      expect(response.status).toBe(200);
      expect([comparable(response.body)]).toEqual(examplesIn(operation(line).responses[200]?.content).map(comparable));
    },
  );
});

describe('DELETE /v2/notifications/bulk/{job_id}', () => {
  it('200 with the example', async () => {
    const { body: sent } = await harness.v2('POST', '/v2/notifications/bulk', demo.api_key, {
      ...(examplesIn(operation('POST /v2/notifications/bulk').requestBody?.content)[0] as object),
      template_id: demo.templates.sms,
    });
    const line = 'DELETE /v2/notifications/bulk/{job_id}';
    const response = await call(line, { job_id: sent.data.id });
    expect(response.status).toBe(200);
    expect([comparable(response.body)]).toEqual(examplesIn(operation(line).responses[200]?.content).map(comparable));
  });
});

describe('reading', () => {
  beforeAll(async () => {
    const text = { content: 'Yes, Friday is fine', user_number: '447700900123', notify_number: '07700900500' };
    await inTransaction(harness.app.db, (tx) =>
      recordInboundText(
        tx,
        harness.app.country.phone,
        { service_id: demo.service_id, provider: 'mmg', ...text },
        harness.clock.now(),
      ),
    );
  });

  it.each([
    'GET /v2/notifications',
    'GET /v2/notifications/{notification_id}',
    'GET /v2/templates',
    'GET /v2/template/{id}',
    'GET /v2/template/{id}/version/{version}',
    'POST /v2/template/{id}/preview',
    'GET /v2/received-text-messages',
  ])('%s: 200 with the example', async (line) => {
    const { body: list } = await harness.v2('GET', '/v2/notifications?template_type=sms', demo.api_key);
    const ids = { notification_id: list.notifications[0].id, id: demo.templates.sms };
    const { requestBody, responses } = operation(line);
    const response = await call(line, ids, examplesIn(requestBody?.content)[0] as object);
    expect(response.status).toBe(200);
    expect([comparable(response.body)]).toEqual(examplesIn(responses[200]?.content).map(comparable));
  });
});

describe('a message with a channel plan', () => {
  it.each([
    ['POST /v2/messages', 201],
    ['GET /v2/messages', 200],
    ['GET /v2/messages/{message_id}', 200],
  ] as const)('%s: %i with the example', async (line, status) => {
    const plan = `/service/${demo.service_id}/channel-plan`;
    const { data: plans } = (await harness.admin('GET', plan)).body;
    if (plans.length === 0) {
      const { email, sms } = demo.templates;
      const steps = [
        { channel: 'email', template_id: email, wait_h: 24 },
        { channel: 'sms', template_id: sms },
      ];
      const author = await harness.app.db.selectFrom('users').select('id').limit(1).executeTakeFirstOrThrow();
      await harness.admin('POST', plan, { name: 'Appointments', steps, created_by: author.id });
    }
    const { requestBody, responses } = operation(line);
    const { body: list } = await harness.v2('GET', '/v2/messages', demo.api_key);
    const ids = { message_id: list.messages[0]?.id };
    const response = await call(line, ids, examplesIn(requestBody?.content)[0] as object);
    expect(response.status).toBe(status);
    expect([comparable(response.body)]).toEqual(examplesIn(responses[status]?.content).map(comparable));
  });
});

describe('errors', () => {
  const sms = 'POST /v2/notifications/sms';
  const url = '/v2/notifications/sms';

  it.each<[number, () => Promise<Answer>]>([
    [
      400,
      () =>
        call(
          sms,
          {},
          { phone_number: '07700900123', template_id: demo.templates.sms, personalisation: { name: 'Ada' } },
        ),
    ],
    [401, () => harness.request({ method: 'POST', url })],
    [403, async () => harness.v2('POST', url, `${demo.api_key.slice(0, -36)}${demo.service_id}`, {})],
    [404, () => harness.v2('GET', `/v2/notifications/${demo.service_id}`, demo.api_key)],
    [
      429,
      async () => {
        const service = await aService(harness, { rate_limit: 1 });
        const key = await anApiKey(harness, service);
        await harness.v2('POST', url, key, {});
        return harness.v2('POST', url, key, {});
      },
    ],
  ])('%i with the example’s body', async (status, refused) => {
    const response = await refused();
    expect(response.status).toBe(status);
    expect([comparable(response.body)]).toEqual(examplesIn(operation(sms).responses[status]?.content).map(comparable));
  });
});

describe('the reference', () => {
  it('shows an example of every request and every response of the public API', () => {
    const lines = Object.entries(paths)
      .filter(([path]) => path.startsWith('/v2/') && !/\/pdf$|\/openapi-/.test(path))
      .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`));
    const without = lines.flatMap((line) => {
      const { requestBody, responses } = operation(line);
      const contents = { ...(requestBody ? { request: requestBody } : {}), ...responses };
      return Object.entries(contents)
        .filter(
          ([name, { content }]) => !['404', '409', '422', 'default'].includes(name) && examplesIn(content).length === 0,
        )
        .map(([name]) => `${name} ${line}`);
    });
    expect(without).toEqual([]);
  });
});
