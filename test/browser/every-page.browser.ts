import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { may } from '../../src/console/access/may.ts';
import { collectPages } from '../../src/console/collect-pages.ts';
import type { DeclaredPage } from '../../src/console/page.ts';
import { useHarness } from '../kit/harness.ts';
import { aConsoleWorld, type ConsoleWorld, type Role } from '../kit/world/console-world.ts';
import { useBrowser } from './kit/browser.ts';
import { problemsFromRightToLeft, problemsInEveryLook, problemsOfTexts } from './kit/looks.ts';
import { fillTownHall } from './kit/town-hall.ts';

type Look = (page: Page, name: string) => Promise<string[]>;

const harness = useHarness({ now: '2026-11-15T14:02:00Z', environment: { LANGUAGES: 'en,ar-XB,fr,nl' } });
const open = useBrowser(harness);

let world: ConsoleWorld;
let pages: readonly DeclaredPage[];

beforeAll(async () => {
  pages = collectPages(harness.app);
  world = await aConsoleWorld(harness);
  await fillTownHall(harness, world.service.id);
});

describe.each<[Role]>([['stranger'], ['a manager'], ['a platform administrator']])('every page, as %s', (role) => {
  it('is accessible and fits: light, dark and with forced colours, at 320 and 1280 pixels', async () => {
    expect(await problemsOfPages(role, 'en', problemsInEveryLook)).toEqual([]);
  }, 600_000);

  it('is accessible and fits from right to left', async () => {
    expect(await problemsOfPages(role, 'ar-XB', problemsFromRightToLeft)).toEqual([]);
  }, 600_000);

  it.each(['fr', 'nl'])(
    'fits in %s',
    async (language) => {
      expect(await problemsOfPages(role, language, problemsOfTexts)).toEqual([]);
    },
    600_000,
  );
});

/** An administrator sees what a manager sees, and the rest. */
async function problemsOfPages(role: Role, language: string, look: Look): Promise<string[]> {
  const { user, token } = world.visitors.get(role) ?? { user: undefined, token: '' };
  const { page, origin } = await open();
  await page.context().addCookies([{ name: 'pennypost_language', value: language, url: origin }]);
  if (token) await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const declared of pages) {
    const service = typeof declared.who === 'object' ? world.service : undefined;
    const isForOperators = declared.who === 'platform-admin' || declared.who === 'operator';
    const isSeenByManager = role === 'a platform administrator' && !isForOperators;
    if (may(declared.who, user, service) !== 'yes' || (user && declared.who === 'anyone') || isSeenByManager) continue;
    const url = world.urlOf(declared);
    // Fragments and files are not pages: the browser would add its own viewer.
    if (!(await (await page.request.get(url, { timeout: 120_000 })).text()).includes('<h1>')) continue;
    await page.goto(url);
    const shown = new URL(page.url()).pathname;
    // A redirect leads to another page of the list.
    if (seen.has(shown)) continue;
    seen.add(shown);
    wrong.push(...(await look(page, nameOf(declared, language))));
  }
  await page.context().close();
  return wrong;
}

function nameOf({ path }: DeclaredPage, language: string): string {
  const name = path.slice(1).replaceAll(':', '').replaceAll('/', '-') || 'console';
  return language === 'en' ? name : `${name}-${language}`;
}
