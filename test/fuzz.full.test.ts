import { Compile } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { anApiKey, aService, aUser } from './kit/builders/rows.ts';
import { type Answer, adminToken, useHarness } from './kit/harness.ts';
import { someOf } from './kit/process/process-environment.ts';

/**
 * Every endpoint of the OpenAPI document gets hostile input in every field, query parameter and path segment. Expected: no
 * 500, no hang, and a documented status and body. The exact response to each field is covered by its own tests. A field gets
 * two of the values, the next field the next two; `npm run test:long` sends all of them to each field.
 */

const harness = useHarness();

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  format?: string;
  anyOf?: Schema[];
}

interface Operation {
  tags?: string[];
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content?: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const deep = JSON.parse('['.repeat(2_000) + ']'.repeat(2_000));
const hostile: unknown[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 31,
  1e308,
  '',
  [],
  {},
  [{}, null, 'x'],
  deep,
  'x'.repeat(70_000),
  'nul \u0000 byte',
  'lone \ud800 surrogate',
  "'; drop table users; --",
  '%s%n ../../etc/passwd \r\nX-Injected: 1',
  '٣٤ \u202e evil',
];

let shared: Record<string, Schema>;

/** Follows the `$ref` of a schema. */
function resolveRef(schema: Schema): Schema {
  return schema.$ref ? (shared[schema.$ref.replace('#/components/schemas/', '')] ?? {}) : schema;
}

function sample(pointer: Schema | undefined, ids: string[]): unknown {
  if (!pointer) return 'x';
  const schema = resolveRef(pointer);
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sample(schema.anyOf[0], ids);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, value]) => [key, sample(value, ids)]),
      );
    case 'array':
      return [sample(schema.items, ids)];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'string':
      if (schema.format === 'uuid') return ids[0];
      if (schema.format?.startsWith('date')) return '2026-11-15';
      if (schema.format === 'email') return 'someone@example.org';
      return 'text';
    default:
      return 'x';
  }
}

const openTags = ['open', 'callbacks', 'printer', 'pages', 'unsubscribe', 'operations'];
const queryValues = ['', 'x', '-1', '2147483648', '999999999999999', '\u0000', "'", '2026-02-30', 'a'.repeat(3_000)];
// Not documented with every operation: a path with malformed segments, and the statuses of `default`.
const anywhere = [400, 404, 405, 413];
const segments = ['x', '\u0000', "'", 'a'.repeat(1_500)];
const wrong: string[] = [];
let place = 0;
const forNextPlace = <T>(list: readonly T[]) => someOf(list, { count: 2, place: place++ });

type Send = (change: { url?: string; body?: unknown; method?: string; bare?: boolean }) => Promise<number>;

/** Whether a response matches the document; only JSON is checked. */
function conformity(responses: Operation['responses']): (response: Answer) => boolean {
  const checks = new Map<number, { Check(value: unknown): boolean }>();
  return ({ status, headers, body }) => {
    const content = (responses[status] ?? responses.default)?.content?.['application/json'];
    if (!content || !String(headers['content-type']).startsWith('application/json')) return true;
    const check = checks.get(status) ?? Compile({ ...content.schema, components: { schemas: shared } });
    checks.set(status, check);
    return check.Check(body);
  };
}

function sender(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: unknown,
  responses: Operation['responses'],
): Send {
  const conforms = conformity(responses);
  return async (change) => {
    const request = { method, url, body, ...change };
    const payload = request.body === undefined ? undefined : JSON.stringify(request.body);
    const options = { method: request.method as 'GET', url: request.url, headers: change.bare ? {} : headers, payload };
    const response = await harness.request(options);
    const shown = `${request.method} ${request.url.slice(0, 120)} ${(payload ?? '').slice(0, 160)}`;
    const isKnown = response.status in responses || anywhere.includes(response.status);
    if (!isKnown && !change.method) wrong.push(`${response.status} ${shown}`);
    if (!conforms(response))
      wrong.push(`not as documented: ${response.status} ${response.text.slice(0, 200)} ${shown}`);
    if (response.headers['x-injected']) wrong.push(`header injected: ${shown}`);
    return response.status;
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

describe('every endpoint', () => {
  it('responds to hostile input without a 500', { timeout: 900_000 }, async () => {
    const { body: document } = await harness.request({ method: 'GET', url: '/openapi.json' });
    const { paths, components }: Document = document;
    shared = components.schemas;
    for (const [path, operations] of Object.entries(paths)) {
      const user = await aUser(harness);
      const service = await aService(harness, { created_by_id: user });
      const key = await anApiKey(harness, service);
      const ids: Record<string, string> = {
        service_id: service,
        user_id: user,
        version: '1',
        notification_type: 'sms',
      };
      const pathWith = (value?: string) =>
        path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(value ?? ids[name] ?? user));
      for (const [lowerCase, operation] of Object.entries(operations)) {
        const method = lowerCase.toUpperCase();
        const tag = operation.tags?.[0] ?? '';
        const token = tag === 'v2' ? key : adminToken(harness.clock);
        const headers: Record<string, string> = openTags.includes(tag) ? {} : { authorization: `Bearer ${token}` };
        const pointer = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
        const schemas = pointer ? (resolveRef(pointer).anyOf ?? [pointer]).map(resolveRef) : [];
        const body = pointer ? (sample(pointer, [service]) as Record<string, unknown>) : undefined;
        const send = sender(method, pathWith(), headers, body, operation.responses);

        await send({});
        if (!openTags.includes(tag) && (await send({ bare: true })) !== 401) wrong.push(`open: ${method} ${path}`);
        for (const value of path.includes('{') ? forNextPlace(segments) : []) {
          await send({ url: pathWith(value) });
        }
        for (const schema of schemas) {
          for (const name of Object.keys(schema.properties ?? {})) {
            const { [name]: _left, ...others } = body ?? {};
            await send({ body: others });
            for (const value of forNextPlace(hostile)) await send({ body: { ...others, [name]: value } });
          }
        }
        for (const value of pointer ? [...forNextPlace(hostile), { ...body, unknown: 1 }] : [])
          await send({ body: value });
        for (const { name } of (operation.parameters ?? []).filter((one) => one.in === 'query')) {
          const url = `${pathWith()}?${name}=`;
          for (const value of forNextPlace(queryValues)) await send({ url: `${url}${encodeURIComponent(value)}` });
          await send({ url: `${url}1&${name}=2&${name}[]=3&unknown=4` });
        }
      }
      // `/things/{id}` takes what `/things/names` does not.
      const others = Object.entries(paths).filter(([other]) => patternOf(other).test(path));
      const isTaken = (method: string) => others.some(([, each]) => method.toLowerCase() in each);
      for (const method of ['PATCH', 'TRACE', 'QUERY'].filter((one) => !isTaken(one))) {
        const status = await sender(method, pathWith(), {}, undefined, {})({ method });
        if (status !== 405) wrong.push(`${status} ${method} ${path}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
