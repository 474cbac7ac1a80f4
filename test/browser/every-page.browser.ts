import { beforeAll, describe, expect, it } from 'vitest';
import { may } from '../../src/console/access/may.ts';
import { collectPages } from '../../src/console/collect-pages.ts';
import type { DeclaredPage } from '../../src/console/page.ts';
import { useHarness } from '../kit/harness.ts';
import { aConsoleWorld, type ConsoleWorld, type Role } from '../kit/world/console-world.ts';
import { useBrowser } from './kit/browser.ts';
import { problemsInEveryLook } from './kit/looks.ts';
import { fillTownHall } from './kit/town-hall.ts';

const harness = useHarness({ now: '2026-11-15T14:02:00Z' });
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
    const { user, token } = world.visitors.get(role) ?? { user: undefined, token: '' };
    const { page, origin } = await open();
    if (token) await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
    const wrong: string[] = [];
    const seen = new Set<string>();
    for (const declared of pages) {
      const service = typeof declared.who === 'object' ? world.service : undefined;
      // An administrator sees what a manager sees, and the rest.
      const isForOperators = declared.who === 'platform-admin' || declared.who === 'operator';
      const isSeenByManager = role === 'a platform administrator' && !isForOperators;
      if (may(declared.who, user, service) !== 'yes' || (user && declared.who === 'anyone') || isSeenByManager)
        continue;
      const url = world.urlOf(declared);
      // Fragments and files are no pages: the browser would add its own viewer.
      if (!(await (await page.request.get(url, { timeout: 120_000 })).text()).includes('<h1>')) continue;
      await page.goto(url);
      const shown = new URL(page.url()).pathname;
      // A redirect leads to another page of the list.
      if (seen.has(shown)) continue;
      seen.add(shown);
      wrong.push(...(await problemsInEveryLook(page, nameOf(declared))));
    }
    await page.context().close();
    expect(wrong).toEqual([]);
  }, 600_000);
});

function nameOf({ path }: DeclaredPage): string {
  return path.slice(1).replaceAll(':', '').replaceAll('/', '-') || 'console';
}
