import { describe, expect, it } from 'vitest';
import { anApiKey, aService, aUser } from './kit/builders.ts';
import { adminToken, useHarness } from './kit/harness.ts';

/**
 * Every endpoint of the OpenAPI document gets hostile input in every field, query parameter and path segment. The claim: no
 * 500, no hang, and an error body of the right surface. What a field should really answer is told by its own tests.
 */

const harness = useHarness();

interface Schema {
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
}

const deep = JSON.parse('['.repeat(2_000) + ']'.repeat(2_000));
const hostile: unknown[] = [
  null,
  true,
  -1,
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

function sample(schema: Schema | undefined, ids: string[]): unknown {
  if (!schema) return 'x';
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

const openTags = ['open', 'callbacks'];
const wrong: string[] = [];

async function attempt(method: string, url: string, headers: Record<string, string>, body: unknown): Promise<void> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const answer = await harness.request({ method: method as 'GET', url, headers, payload });
  const shown = `${method} ${url.slice(0, 120)} ${(payload ?? '').slice(0, 160)}`;
  if (answer.status >= 500 && !url.startsWith('/readyz')) wrong.push(`${answer.status} ${shown}`);
  if (answer.headers['x-injected']) wrong.push(`header injected: ${shown}`);
}

describe('every endpoint', () => {
  it('answers hostile input without a 500', { timeout: 240_000 }, async () => {
    const paths = harness.http.swagger().paths as Record<string, Record<string, Operation>>;
    for (const [path, operations] of Object.entries(paths)) {
      const user = await aUser(harness);
      const service = await aService(harness, { created_by_id: user });
      const key = await anApiKey(harness, service);
      const ids: Record<string, string> = { service_id: service, user_id: user };
      for (const [method, operation] of Object.entries(operations)) {
        const tag = operation.tags?.[0] ?? '';
        const authorization = tag === 'v2' ? `Bearer ${key}` : `Bearer ${adminToken(harness.clock)}`;
        const headers: Record<string, string> = openTags.includes(tag) ? {} : { authorization };
        const pathWith = (value: string | undefined) =>
          path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(value ?? ids[name] ?? user));
        const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
        const body = schema ? (sample(schema, [service]) as Record<string, unknown>) : undefined;

        await attempt(method.toUpperCase(), pathWith(undefined), headers, body);
        for (const value of ['x', '\u0000', "'", 'a'.repeat(1_500)]) {
          if (path.includes('{')) await attempt(method.toUpperCase(), pathWith(value), headers, body);
        }
        for (const name of Object.keys(schema?.properties ?? {})) {
          for (const value of hostile)
            await attempt(method.toUpperCase(), pathWith(undefined), headers, { ...body, [name]: value });
        }
        for (const value of schema ? hostile : [])
          await attempt(method.toUpperCase(), pathWith(undefined), headers, value);
        for (const parameter of (operation.parameters ?? []).filter((one) => one.in === 'query')) {
          for (const value of ['', 'x', '-1', '999999999999999', '\u0000', "'", '2026-02-30', 'a'.repeat(3_000)]) {
            await attempt(
              method.toUpperCase(),
              `${pathWith(undefined)}?${parameter.name}=${encodeURIComponent(value)}`,
              headers,
              body,
            );
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});
