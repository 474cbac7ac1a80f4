import { beforeAll, describe, expect, it } from 'vitest';
import { someQueuedMessages } from '../../test/kit/builders/queued-messages.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { someOf } from '../../test/kit/process/process-environment.ts';
import { ConsoleVisitor, type Page } from '../../test/kit/world/console-visitor.ts';
import { aConsoleWorld, type ConsoleWorld, hostile, type Role } from '../../test/kit/world/console-world.ts';
import { newId } from '../platform/id.ts';
import type { UserRecord } from '../users/user-record.ts';
import { findPage } from './access/find-page.ts';
import { may, type PageAction } from './access/may.ts';
import { collectPages } from './collect-pages.ts';
import { assetPath } from './layout/assets.ts';
import type { DeclaredPage } from './page.ts';

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: { inlet: { listen: { host: '127.0.0.1', port: 587 } } },
});

interface Opened {
  page: DeclaredPage;
  role: Role;
  browser: ConsoleVisitor;
  expected: ReturnType<typeof may>;
  shown: Page;
}

let world: ConsoleWorld;
let pages: readonly DeclaredPage[];
/** The hostile text, escaped. */
const marked = `&quot;'>&lt;x-hostile onclick=1>`;
/** Every page as every role, opened once: the tests below only read. */
let opened: Opened[];

beforeAll(async () => {
  pages = collectPages(harness.app);
  world = await aConsoleWorld(harness, hostile);
  // A page of every list.
  const fifty = Array.from({ length: 50 }, () => ({ template_id: world.ids.get('template_id') ?? '' }));
  await someQueuedMessages(harness, world.service.id, fifty);
  const request = [...world.visitors].flatMap(([role, { browser, user }]) =>
    pages.map((page) => ({ page, role, browser, expected: expectedOf(page, user) })),
  );
  opened = await atOnce(request, async (one) => ({ ...one, shown: await one.browser.get(world.urlOf(one.page)) }));
}, 300_000);

function expectedOf(
  page: DeclaredPage,
  user: UserRecord | undefined,
  action: PageAction = 'view',
): ReturnType<typeof may> {
  // There is an administrator.
  if (page.path === '/start') return 'not-found';
  const service = typeof page.who === 'object' ? world.service : undefined;
  const answer = may(page.who, user, service, page.onlyReads ? 'view' : action);
  const isOfManager = /:(own_key|\w*draft)_id/.test(page.path);
  return isOfManager && answer === 'yes' && user?.id !== world.visitors.get('a manager')?.user?.id
    ? 'not-found'
    : answer;
}

/** A few at a time, which is faster than one after the other. */
async function atOnce<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < list.length; at += 8) results.push(...(await Promise.all(list.slice(at, at + 8).map(work))));
  return results;
}

function openingOf({ status, location }: Page, signIn = /^\/console\/sign-in\?next=/): string {
  if (status === 303 && signIn.test(location ?? '')) return 'sign-in';
  return { 403: 'forbidden', 404: 'not-found' }[status] ?? (status < 500 ? 'yes' : `failed with ${status}`);
}

/** What others wrote is sent with a stricter policy. */
const isFile = ({ headers }: Page) =>
  /^sandbox( allow-popups allow-popups-to-escape-sandbox)?; default-src 'none';/.test(
    String(headers['content-security-policy']),
  );
/** Also fragments of pages. */
const isMarkup = (page: Page) => /^text\/html/.test(String(page.headers['content-type'])) && !isFile(page);
const isHtml = (page: Page) => page.text.startsWith('<!doctype') && !isFile(page);
const visitorOf = (role: Role) => world.visitors.get(role)?.browser ?? new ConsoleVisitor(harness);

describe('every page', { timeout: 120_000 }, () => {
  it('opens for those who may, and for no others', () => {
    const wrong = opened
      .filter(({ expected, shown }) => openingOf(shown) !== expected)
      .map(({ page, role, expected, shown }) => `${page.path} for ${role}: ${openingOf(shown)}, not ${expected}`);
    expect(wrong).toEqual([]);
  });

  it('takes its form from those who may change something, and from no others', async () => {
    const refused = opened
      .map((one) => ({ ...one, expected: expectedOf(one.page, world.visitors.get(one.role)?.user, 'change') }))
      .filter(({ page, expected }) => page.act && expected !== 'yes');
    const wrong = await atOnce(refused, async ({ page, role, browser, expected }) => {
      const opening = openingOf(await browser.post(world.urlOf(page)), /^\/console\/sign-in$/);
      return opening === expected ? [] : [`${page.path} for ${role}: ${opening}, not ${expected}`];
    });
    expect(wrong.flat()).toEqual([]);
  });

  it('404 with an id of another service, or of none', async () => {
    const browser = visitorOf('a manager');
    const unknownIds = [newId(harness.clock.now()), 'nonsense'];
    const changes = pages
      .filter(({ path }) => path.includes(':service_id'))
      .flatMap((page, place) =>
        [...page.path.matchAll(/:(\w+_id)/g)].flatMap(([, name = '']) =>
          [world.foreign.get(name) ?? newId(harness.clock.now()), ...someOf(unknownIds, { count: 1, place })].map(
            (id) => ({ page, url: world.urlOf(page, { [name]: id }) }),
          ),
        ),
      );
    const wrong = await atOnce(changes, async ({ page, url }) => {
      const shown = await browser.get(url);
      // Some pages are only sent to: opened, they lead elsewhere.
      const { status } = shown.status === 303 ? await browser.post(url) : shown;
      return status === 404 ? [] : [`${page.path} as ${url}: ${status}`];
    });
    expect(wrong.flat()).toEqual([]);
  });

  it('403 for forms that other sites send', async () => {
    const url = harness.app.config.urls.api;
    const sources: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: url },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      {},
    ];
    const forms = pages
      .filter(({ act }) => act)
      .flatMap((page, place) => someOf(sources, { count: 2, place }).map((headers) => ({ page, headers })));
    const wrong = await atOnce(forms, async ({ page, headers }) => {
      const { status } = await visitorOf('a platform administrator').post(world.urlOf(page), {}, headers);
      return status === 403 ? [] : [`${page.path} with ${JSON.stringify(headers)}: ${status}`];
    });
    expect(wrong.flat()).toEqual([]);
    const stranger = new ConsoleVisitor(harness);
    expect((await stranger.post('/console/sign-in', {}, { origin: url })).status).toBe(400);
    expect(
      (await stranger.post('/console/sign-in', {}, { origin: 'http://localhost:80', host: 'localhost:80' })).status,
    ).toBe(400);
  });

  it('has one heading, the headers of a page and nothing inline', () => {
    for (const { page, shown } of opened) {
      const { text, headers } = shown;
      if (!isFile(shown)) {
        expect(headers['content-security-policy'], page.path).toMatch(/^default-src 'none'; script-src 'self'/);
      }
      expect(headers['referrer-policy'], page.path).toBe(isFile(shown) ? 'no-referrer' : 'same-origin');
      expect(headers['access-control-allow-origin'], page.path).toBeUndefined();
      if (!isHtml(shown)) continue;
      expect(text.match(/<h1>/g), page.path).toHaveLength(1);
      expect(
        text.match(/ style="|<style|<script(?! type="module" src="\/console\/assets\/)|<[^>]* on\w+="/g),
        page.path,
      ).toBeNull();
    }
  });

  it('has only links that lead somewhere', async () => {
    // Half of the links lead to pages that were opened above.
    const statuses = new Map(opened.map(({ role, page, shown }) => [`${role} ${world.urlOf(page)}`, shown.status]));
    const links = new Map<string, Opened & { link: string }>();
    const broken: string[] = [];
    for (const one of opened.filter(({ shown }) => isHtml(shown))) {
      for (const [, name = '', link = ''] of one.shown.text.matchAll(/<(\w+)[^>]* (?:href|src|action)="([^"#]+)/g)) {
        // Pages of others, and mail programs.
        if (/^(https?|mailto):/.test(link)) continue;
        // The rows of a list link alike.
        const shape = link.replaceAll(/[0-9a-f-]{36}/g, 'id');
        if (name !== 'form') links.set(`${one.role} ${one.page.path} ${shape}`, { ...one, link });
        else if (!pages.some(({ path, act }) => act && matches(path, link))) {
          broken.push(`${one.page.path} sends to ${link}`);
        }
      }
    }
    await atOnce([...links.values()], async ({ page, role, browser, link }) => {
      const url = link.replaceAll('&amp;', '&');
      const known = `${role} ${url}`;
      const status = statuses.get(known) ?? (await browser.get(url)).status;
      statuses.set(known, status);
      if (status >= 400) broken.push(`${page.path} links to ${link}: ${status}`);
    });
    expect(broken).toEqual([]);
  });

  it('asks only those pages for updates that are declared as live parts', () => {
    const request = opened.flatMap(({ shown }) =>
      [...shown.text.matchAll(/<live-part data-from="\/console([^"]+)"/g)].map(([, address = '']) => address),
    );
    expect(request.filter((address) => !findPage(pages, address)?.page.live)).toEqual([]);
    expect(request.length).toBeGreaterThan(5);
    expect(pages.filter(({ live, act, menu }) => live && (act || menu)).map(({ path }) => path)).toEqual([]);
  });

  it('shows hostile texts as text', () => {
    const wrong = opened.filter(({ shown }) => isMarkup(shown) && shown.text.includes('<x-hostile'));
    expect(wrong.map(({ page, role }) => `${page.path} for ${role}`)).toEqual([]);
    const { shown } = opened.find(({ page, role }) => page.path === '/services' && role === 'a manager') ?? {};
    expect(shown?.text).toContain(`appointments${marked}`);
  });

  it('stays small: HTML with lists of 50 rows, style sheet, scripts and font', async () => {
    const html = opened.filter(({ shown }) => isHtml(shown));
    const sizes = html.map(({ page, shown }) => {
      const text = shown.text.replaceAll(marked, '');
      return [page.path, Buffer.byteLength(text)] as const;
    });
    expect(sizes.filter(([, size]) => size > 40_000)).toEqual([]);
    const texts = new Set(html.map(({ shown }) => shown.text));
    const scriptsOf = (text: string) => [...text.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, src = '']) => src);
    for (const scripts of new Set([...texts].map((text) => scriptsOf(text).join(' ')))) {
      expect(await sizeWithImports(scripts.split(' ')), scripts).toBeLessThan(12_000);
    }
    expect(await sizeOf(assetPath('console.css'))).toBeLessThan(12_000);
    expect(await sizeOf(assetPath('newsreader.woff2'))).toBeLessThan(80_000);
  });

  it('names in its forms the fields that it reads', () => {
    for (const { page, shown } of opened.filter(({ page, expected }) => page.form && expected === 'yes')) {
      const names = [...postedForms(shown.text).matchAll(/<(?:input|textarea|select)[^>]* name="([^"]+)"/g)];
      const known = new Set([...Object.keys(page.form?.properties ?? {}), page.file?.name]);
      const found = new Set(names.map(([, name = '']) => name.replace('[]', '')));
      if (known.size > 0)
        expect(
          [...found].filter((name) => !known.has(name)),
          page.path,
        ).toEqual([]);
      if (!page.file || !found.has(page.file.name)) continue;
      // What comes after the file is not read.
      expect(shown.text, page.path).toContain('enctype="multipart/form-data"');
      expect(names.at(-1)?.[1], page.path).toBe(page.file.name);
    }
  });
});

/** Controls outside of them, such as switches between views, are not sent. The top bar sends elsewhere. */
function postedForms(html: string): string {
  const page = html.replace(/<header class="topbar">.*?<\/header>/s, '');
  return (page.match(/<form[^>]* method="post".*?<\/form>/gs) ?? []).join('');
}

const load = (url: string, encoding: string) => harness.http.inject({ url, headers: { 'accept-encoding': encoding } });
const sizeOf = async (url: string) => (await load(url, 'br')).rawPayload.length;

/** What a browser loads for these scripts, compressed. */
async function sizeWithImports(scripts: string[]): Promise<number> {
  const urls = new Set(scripts);
  for (const url of urls) {
    const { statusCode, body } = await load(url, 'identity');
    expect([url, statusCode]).toEqual([url, 200]);
    for (const [, name = ''] of body.matchAll(/(?:from|import)\s*\(?['"]\.\/([^'"]+)['"]/g)) {
      urls.add(new URL(name, `http://localhost${url}`).pathname);
    }
  }
  return (await Promise.all([...urls].map(sizeOf))).reduce((sum, one) => sum + one, 0);
}

function matches(path: string, link: string): boolean {
  return new RegExp(`^/console${path.replaceAll(/:\w+/g, '[^/]+')}(\\?|$)`).test(link);
}

describe('failures', () => {
  it('are pages, also for paths that do not exist', async () => {
    const page = await new ConsoleVisitor(harness).get('/console/nowhere');
    expect([page.status, page.h1]).toEqual([404, 'Page not found']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await new ConsoleVisitor(harness).get('/console/assets/x/console.css')).status).toBe(404);
  });
});

describe('GET /', () => {
  it('303 to the console for browsers; 200 for clients that accept JSON alone', async () => {
    const page = await new ConsoleVisitor(harness).get('/');
    expect([page.status, page.location]).toEqual([303, '/console']);
    const answer = await harness.request({ method: 'GET', url: '/', headers: { accept: 'application/json' } });
    expect([answer.status, answer.body.status]).toEqual([200, 'ok']);
    expect((await harness.request({ method: 'GET', url: '/', headers: { accept: 'image/png' } })).status).toBe(404);
    expect((await harness.request({ method: 'POST', url: '/' })).status).toBe(404);
  });
});
