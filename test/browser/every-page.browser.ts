import { mkdirSync } from 'node:fs';
import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { collectPages } from '../../src/console/collect-pages.ts';
import type { DeclaredPage } from '../../src/console/page.ts';
import { createSession } from '../../src/console/sessions/sessions.ts';
import { aService, aTemplate } from '../kit/builders.ts';
import { aPerson, joinService } from '../kit/console-people.ts';
import { useHarness } from '../kit/harness.ts';
import { accessibilityProblems, overflow_px, useBrowser } from './kit/browser.ts';
import { fillTownHall, type TownHall } from './kit/town-hall.ts';

const harness = useHarness({ now: '2026-11-15T14:02:00Z' });
const open = useBrowser(harness);
const folder = 'test/browser/output';

let service: string;
let token: string;
let values: Record<string, string>;
let sent: TownHall;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  const user = await aPerson(harness, { name: 'Ada Lovelace', platform_admin: true, email_address: 'ada@example.org' });
  service = await aService(harness, { name: 'Town Hall appointments', created_by_id: user.id });
  await joinService(harness, service, user.id);
  const content = 'Hello ((name)), your appointment is on ((day)) at 10:30. Can’t come? Call 020 7946 0100.';
  values = {
    service_id: service,
    token: 'nonsense',
    page: '1',
    template_id: await aTemplate(harness, service, { name: 'Appointment', content }),
    email_template_id: await aTemplate(harness, service, { template_type: 'email', name: 'Welcome', subject: 'Hello' }),
    letter_template_id: await aTemplate(harness, service, {
      template_type: 'letter',
      name: 'Reminder',
      subject: 'Hello',
    }),
  };
  await createSession(
    harness.app,
    user,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Safari/604.1',
  );
  sent = await fillTownHall(harness, service);
  token = await createSession(harness.app, user, 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36');
});

const looks: [string, BrowserContextOptions][] = [320, 1280].flatMap((width) => [
  [`light-${width}`, { viewport: { width, height: 860 }, colorScheme: 'light' }],
  [`dark-${width}`, { viewport: { width, height: 860 }, colorScheme: 'dark' }],
  [`forced-${width}`, { viewport: { width, height: 860 }, forcedColors: 'active' }],
]);

/** What the parameters of paths stand for. */
function urlOf({ path }: DeclaredPage): string {
  const messageId = path.startsWith('/services/') ? sent.text : sent.email;
  const all: Record<string, string> = {
    ...values,
    message_id: messageId,
    email_id: sent.email,
    letter_id: sent.letter,
  };
  return `/console${path.replaceAll(/:(\w+)/g, (whole, name: string) => all[name] ?? whole)}`;
}

describe.each(looks)('every page, %s', (look, options) => {
  it('is accessible and fits, for strangers and for those who are signed in', async () => {
    const wrong: string[] = [];
    for (const isSignedIn of [false, true]) {
      const { page, origin } = await open(options);
      if (isSignedIn) await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
      const seen = new Set<string>();
      for (const declared of collectPages(harness.app)) {
        await page.goto(urlOf(declared));
        const shown = new URL(page.url()).pathname;
        // A redirect leads to another page of the list, and fragments are no pages.
        if (seen.has(shown) || !(await page.$('h1'))) continue;
        seen.add(shown);
        const name = `${shown.replaceAll(service, 'service').replaceAll('/', '-').slice(1)}${isSignedIn ? '' : '-out'}`;
        wrong.push(...(await accessibilityProblems(page)).map((problem) => `${name}: ${problem}`));
        if ((await overflow_px(page)) > 0) wrong.push(`${name}: scrolls sideways`);
        await page.screenshot({ path: `${folder}/${name}-${look}.png` });
      }
      await page.context().close();
    }
    expect(wrong).toEqual([]);
  }, 300_000);
});
