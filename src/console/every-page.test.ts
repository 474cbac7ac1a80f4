import { beforeAll, describe, expect, it } from 'vitest';
import { anOrganisation, aService, aTemplate } from '../../test/kit/builders.ts';
import { aPerson, signedIn } from '../../test/kit/console-people.ts';
import { ConsoleVisitor, type Page } from '../../test/kit/console-visitor.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { aLetter } from '../../test/kit/letters.ts';
import { aQueuedMessage } from '../../test/kit/queued-messages.ts';
import { creatorPermissions } from '../users/members/permissions.ts';
import { getUserRecord } from '../users/user-record.ts';
import { may } from './access/may.ts';
import { collectPages } from './collect-pages.ts';
import type { DeclaredPage } from './page.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

/** Who walks through the console. Each is another person, in the team of `service` with these permissions. */
const roles = {
  stranger: undefined,
  'somebody else': null,
  'a member without rights': [],
  'a sender': ['send_messages'],
  'a manager': [...creatorPermissions],
  'a member of the organisation': null,
  'a platform administrator': null,
};
type Role = keyof typeof roles;

let pages: readonly DeclaredPage[];
let service: { id: string; organisation: string };
let otherService: string;
let sent: { email: string; letter: string };
let joinRequest: string;
let templates: Record<'sms' | 'email' | 'letter', string>;
const visitors = new Map<Role, { browser: ConsoleVisitor; id: string | undefined }>();

beforeAll(async () => {
  pages = collectPages(harness.app);
  const organisation = await anOrganisation(harness);
  service = { id: await aService(harness, { organisation_id: organisation }), organisation };
  otherService = await aService(harness);
  const email = await aQueuedMessage(harness, service.id, { notification_type: 'email' });
  await harness.deliver();
  templates = {
    sms: await aTemplate(harness, service.id),
    email: await aTemplate(harness, service.id, { template_type: 'email', subject: 'Hello' }),
    letter: await aTemplate(harness, service.id, { template_type: 'letter' }),
  };
  const letter = await aLetter(harness, service.id, templates.letter);
  await harness.runTasks();
  sent = { email, letter };
  for (const [role, permissions] of Object.entries(roles) as [Role, string[] | null | undefined][]) {
    if (permissions === undefined) {
      visitors.set(role, { browser: new ConsoleVisitor(harness), id: undefined });
      continue;
    }
    const { id } = await aPerson(harness, { platform_admin: role === 'a platform administrator' });
    if (permissions) {
      await harness.admin('POST', `/service/${service.id}/users/${id}`, {
        permissions: permissions.map((permission) => ({ permission })),
      });
    }
    if (role === 'a member of the organisation') {
      await harness.admin('POST', `/organisations/${organisation}/users/${id}`, { permissions: [] });
    }
    visitors.set(role, { browser: await signedIn(harness, id), id });
  }
  const { id: requester_id } = await aPerson(harness);
  const asked = await harness.admin('POST', `/service/${service.id}/service-join-request`, {
    requester_id,
    contacted_user_ids: [visitors.get('a manager')?.id],
  });
  joinRequest = asked.body.service_join_request_id;
});

/** A page that needs other things in its path adds them here. */
function urlOf(page: DeclaredPage, serviceId = service.id): string {
  const values = new Map([
    ['service_id', serviceId],
    ['token', 'nonsense'],
    ['message_id', sent.email],
    ['email_id', sent.email],
    ['letter_id', sent.letter],
    ['page', '1'],
    ['template_id', templates.sms],
    ['email_template_id', templates.email],
    ['letter_template_id', templates.letter],
    ['asked_id', serviceId],
    ['request_id', joinRequest],
    ['callback_id', joinRequest],
  ]);
  return `/console${page.path.replaceAll(/:(\w+)/g, (_, name) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`${page.path}: say what ${name} is`);
    return value;
  })}`;
}

function openingOf({ status, location }: Page): string {
  if (status === 303 && location?.startsWith('/console/sign-in?next=')) return 'sign-in';
  return { 403: 'forbidden', 404: 'not-found' }[status] ?? (status < 500 ? 'yes' : `failed with ${status}`);
}

// Each of them opens all pages, for every role.
describe('every page', { timeout: 120_000 }, () => {
  it('opens for those who may, and for no others', async () => {
    const wrong: string[] = [];
    for (const [role, { browser, id }] of visitors) {
      const user = id === undefined ? undefined : await getUserRecord(harness.app.db, id);
      for (const page of pages) {
        const opening = openingOf(await browser.get(urlOf(page)));
        // There is an administrator.
        const expected =
          page.path === '/start'
            ? 'not-found'
            : may(page.who, user, typeof page.who === 'object' ? service : undefined);
        if (opening !== expected) wrong.push(`${page.path} for ${role}: ${opening}, not ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('takes its form from those who may open it, and from no others', async () => {
    const wrong: string[] = [];
    for (const [role, { browser, id }] of visitors) {
      const user = id === undefined ? undefined : await getUserRecord(harness.app.db, id);
      for (const page of pages.filter(({ act }) => act)) {
        const expected = may(page.who, user, typeof page.who === 'object' ? service : undefined);
        if (expected === 'yes') continue;
        const { status, location } = await browser.post(urlOf(page));
        const opening = location === '/console/sign-in' ? 'sign-in' : openingOf({ status } as Page);
        if (opening !== expected) wrong.push(`${page.path} for ${role}: ${opening}, not ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('404 with the id of another service, or of none', async () => {
    const browser = visitors.get('a manager')?.browser;
    for (const page of pages.filter(({ path }) => path.includes(':service_id'))) {
      for (const id of [otherService, '4f46df42-f795-4cc4-83bb-65ca312f49cc', 'nonsense']) {
        expect([page.path, (await browser?.get(urlOf(page, id)))?.status]).toEqual([page.path, 404]);
      }
    }
  });

  it('403 for forms that other sites send', async () => {
    const url = harness.app.config.urls.api;
    for (const page of pages.filter(({ act }) => act)) {
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': 'cross-site', origin: url },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        {},
      ] as Record<string, string>[]) {
        for (const { browser } of visitors.values()) {
          const { status } = await browser.post(urlOf(page), {}, headers);
          expect([page.path, headers, status]).toEqual([page.path, headers, 403]);
        }
      }
    }
    const stranger = new ConsoleVisitor(harness);
    expect((await stranger.post('/console/sign-in', {}, { origin: url })).status).toBe(400);
    expect(
      (await stranger.post('/console/sign-in', {}, { origin: 'http://localhost:80', host: 'localhost:80' })).status,
    ).toBe(400);
  });

  it('has one heading, the headers of a page and nothing inline', async () => {
    for (const { browser } of visitors.values()) {
      for (const page of pages) {
        const { status, text, headers } = await browser.get(urlOf(page));
        // What others wrote has a stricter policy.
        const isFile = String(headers['content-security-policy']).startsWith("sandbox; default-src 'none';");
        if (!isFile) {
          expect(headers['content-security-policy'], page.path).toMatch(/^default-src 'none'; script-src 'self'/);
        }
        expect(headers['referrer-policy'], page.path).toBe(isFile ? 'no-referrer' : 'same-origin');
        expect(headers['access-control-allow-origin'], page.path).toBeUndefined();
        if (isFile) continue;
        if (status === 303 || !text.startsWith('<!doctype')) continue;
        expect(text.match(/<h1>/g), page.path).toHaveLength(1);
        expect(
          text.match(/ style="|<style|<script(?! type="module" src="\/console\/assets\/)| on\w+="/g),
          page.path,
        ).toBeNull();
      }
    }
  });

  it('has only links that lead somewhere', async () => {
    const broken: string[] = [];
    for (const { browser } of visitors.values()) {
      const opened = new Set<string>();
      for (const page of pages) {
        const { text } = await browser.get(urlOf(page));
        for (const [, name = '', link = ''] of text.matchAll(/<(\w+)[^>]* (?:href|src|action)="([^"#]+)/g)) {
          if (opened.has(link)) continue;
          opened.add(link);
          if (name === 'form') {
            const isPage = pages.some(({ path, act }) => act && link.startsWith('/console') && matches(path, link));
            if (!isPage) broken.push(`${page.path} sends to ${link}`);
            continue;
          }
          const { status } = await browser.get(link);
          if (status >= 400) broken.push(`${page.path} links to ${link}: ${status}`);
        }
      }
    }
    expect(broken).toEqual([]);
  });

  it('shows hostile names as text', async () => {
    const hostile = `<script>alert("1")</script>'><img src=x onerror=alert(1)>`;
    const { id } = await aPerson(harness, { name: hostile });
    const created = await aService(harness, { name: hostile, created_by_id: id });
    const browser = await signedIn(harness, id);
    const wrong: string[] = [];
    for (const page of pages) {
      const { text } = await browser.get(urlOf(page, created));
      if (/<script>|<img/.test(text)) wrong.push(page.path);
    }
    expect(wrong).toEqual([]);
    expect((await browser.get(`/console/services/${created}`)).text).toContain('&lt;script>alert(&quot;1&quot;)');
  });

  it('names in its forms the fields that it reads', async () => {
    const browser = visitors.get('a platform administrator')?.browser;
    for (const page of pages.filter(({ form }) => form && Object.keys(form.properties).length > 0)) {
      const shown = [await new ConsoleVisitor(harness).get(urlOf(page)), await browser?.get(urlOf(page))];
      const names = shown.flatMap((one) => [
        ...(one?.text ?? '').matchAll(/<(?:input|textarea|select)[^>]* name="([^"]+)"/g),
      ]);
      const known = Object.keys(page.form?.properties ?? {});
      const found = [...new Set(names.map(([, name = '']) => name.replace('[]', '')))];
      expect(
        found.filter((name) => !known.includes(name)),
        page.path,
      ).toEqual([]);
    }
  });
});

function matches(path: string, link: string): boolean {
  const pattern = path.replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^/console${pattern}$`).test(link);
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
  it('303 to the console for browsers; others get their 404', async () => {
    const page = await new ConsoleVisitor(harness).get('/');
    expect([page.status, page.location]).toEqual([303, '/console']);
    const answer = await harness.request({ method: 'GET', url: '/', headers: { accept: 'application/json' } });
    expect([answer.status, answer.body.result]).toEqual([404, 'error']);
    expect((await harness.request({ method: 'POST', url: '/' })).status).toBe(404);
  });
});
