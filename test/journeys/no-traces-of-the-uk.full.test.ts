import { beforeAll, describe, expect, it } from 'vitest';
import { collectPages } from '../../src/console/collect-pages.ts';
import type { DeclaredPage } from '../../src/console/page.ts';
import { nl } from '../../src/countries/nl.ts';
import { useHarness } from '../kit/harness.ts';
import { isLongRun } from '../kit/process/process-environment.ts';
import { aConsoleWorld, type ConsoleWorld, type Role } from '../kit/world/console-world.ts';

/** Another country sees nothing of the one that the protocol comes from, except in names of the protocol. */

const harness = useHarness({ now: '2026-11-15T12:00:00Z', country: nl });
let world: ConsoleWorld;
let pages: readonly DeclaredPage[];

beforeAll(async () => {
  pages = collectPages(harness.app);
  world = await aConsoleWorld(harness);
}, 300_000);

const traces = /\bUK\b|United Kingdom|London|£|\bpence\b|\bpounds\b|\bCrown\b|Royal|\bGBP\b|Ofcom/g;
/** Names of the protocol and of another product, and the address of the sample letter. */
const allowed = /GOV\.UK|cost_in_pounds|sms_to_uk_landlines|Ada\s+London\s+SW1A 1AA/g;

function tracesIn(text: string): string[] {
  const shown = text
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, '')
    // People choose their time zone among all cities.
    .replaceAll(/<option[^>]*>[^<]*\((Europe|America)\)<\/option>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(allowed, '');
  return [...shown.matchAll(traces)].map(({ index }) => shown.slice(Math.max(0, index - 50), index + 40).trim());
}

describe('with COUNTRY=nl', () => {
  it('no page names the United Kingdom, its capital or its money', async () => {
    const found: string[] = [];
    const get = async (role: Role, page: DeclaredPage) => world.visitors.get(role)?.browser.get(world.urlOf(page));
    for (const page of pages) {
      // The log of changes says that this database was made for the United Kingdom and changed its country.
      if (page.path === '/operator/audit/csv') continue;
      const shown = [await get('a manager', page)];
      const isClosed = shown[0]?.status === 403 || shown[0]?.status === 404;
      if (isClosed || isLongRun) shown.push(await get('a platform administrator', page));
      for (const { headers, text = '' } of shown.filter((one) => one !== undefined)) {
        const isText = /^text\//.test(String(headers['content-type']));
        if (isText) found.push(...tracesIn(text).map((trace) => `${page.path}: ${trace}`));
      }
    }
    expect([...new Set(found)]).toEqual([]);
  }, 300_000);

  it('nor does the API document', async () => {
    const { body } = await harness.request({ method: 'GET', url: '/openapi.json' });
    const found: string[] = [];
    const walk = (part: object, path: string) => {
      for (const [key, value] of Object.entries(part)) {
        if (typeof value === 'object' && value !== null) walk(value, `${path}/${key}`);
        else if (typeof value === 'string' && (key === 'description' || key === 'summary')) {
          found.push(...tracesIn(value).map((trace) => `${path}: ${trace}`));
        }
      }
    };
    const { paths } = body as { paths: Record<string, object> };
    for (const [path, item] of Object.entries(paths)) if (!path.startsWith('/notifications/')) walk(item, path);
    expect(found).toEqual([]);
  });
});
