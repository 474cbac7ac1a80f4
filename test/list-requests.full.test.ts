import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { noFilters, pageFilters, pageRequests } from '../bench/lists/pages.ts';
import { type ApiDocument, apiRequests, type World } from '../bench/lists/requests.ts';
import { seedOnce, worldOf } from '../bench/lists/world.ts';
import { collectPages } from '../src/console/collect-pages.ts';
import { useHarness } from './kit/harness.ts';

/** The benchmark of lists measures every list with every filter: what is added must get values there. */

const harness = useHarness();
const document: ApiDocument = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

let world: World;

beforeAll(async () => {
  await seedOnce(harness.app, 16_000, () => undefined);
  world = await worldOf(harness.app);
});

describe('lists of the API', () => {
  it('are measured with every query parameter and every value of the document', () => {
    const urls = apiRequests(document, world).map(({ label }) => label);
    for (const status of ['sending', 'returned-letter']) expect(urls).toContain(`/v2/notifications?status=${status}`);
    expect(urls).toContain('/service/{service_id}/notifications?limit_days=7&to=nobody%40example.net');
    expect(urls).toContain('/complaint?page=40');
  });

  it('are not measured while a parameter has no values, or a path no id', () => {
    const withParameter = (name: string) => ({
      paths: { '/complaint': { get: { parameters: [{ in: 'query', name, schema: {} }] } } },
    });
    expect(() => apiRequests(withParameter('colour'), world)).toThrow('say which values of colour are measured');
    expect(() => apiRequests({ paths: { '/list/{thing}': { get: {} } } }, world)).toThrow('say what thing is');
  });
});

describe('lists of the console', () => {
  const paths = () => collectPages(harness.app).map(({ path }) => path);

  it('are measured with every page', () => {
    const requests = pageRequests(paths(), world, (text) => text);
    expect(requests.map(({ label }) => label)).toContain('/console/services/:service_id/messages?from=test-key');
  });

  it('are measured with every parameter that a page reads', () => {
    const folder = 'src/console/pages';
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
    const read = files
      .filter((name) => !name.includes('.test.'))
      .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/\bquery\('(\w+)'\)/g)])
      .map(([, name = '']) => name);
    const measured = Object.values(pageFilters).flatMap((filters) => Object.keys(filters));
    expect(read.filter((name) => !measured.includes(name) && !noFilters.includes(name))).toEqual([]);
    expect(read).toContain('older_than');
  });
});
