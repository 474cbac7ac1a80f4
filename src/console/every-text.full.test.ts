import { beforeAll, expect, it } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { isLongRun, someOf } from '../../test/kit/process/process-environment.ts';
import type { Action } from '../../test/kit/world/console-actions/action.ts';
import { everyAction, sendAction } from '../../test/kit/world/console-actions/every-action.ts';
import type { Page } from '../../test/kit/world/console-visitor.ts';
import { aConsoleWorld, type ConsoleWorld } from '../../test/kit/world/console-world.ts';
import { knownWords, typedMark, untranslated } from '../../test/kit/world/untranslated.ts';
import { may } from './access/may.ts';
import { collectPages } from './collect-pages.ts';
import type { DeclaredPage } from './page.ts';

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  environment: { LANGUAGES: 'en-XA,en' },
  config: {
    sms: { providers: ['sandbox', 'mmg'] },
    email: { providers: ['sandbox', 'smtp'] },
    providers: { mmg: { url: 'http://127.0.0.1:9/mmg', apiKey: 'wrong' } },
  },
});

let world: ConsoleWorld;

beforeAll(async () => {
  world = await aConsoleWorld(harness, typedMark);
}, 120_000);

it('every page has only texts that can be translated, for those who may open it', { timeout: 300_000 }, async () => {
  const known = await knownWords(harness);
  const found = new Map<string, string>();
  for (const [place, page] of collectPages(harness.app).entries()) {
    const service = typeof page.who === 'object' ? world.service : undefined;
    const visitors = [...world.visitors.values()].filter(({ user }) => may(page.who, user, service) === 'yes');
    for (const { browser } of someOf(visitors, { count: 2, place })) {
      for (const text of untranslated(await browser.get(world.urlOf(page)), known)) found.set(text, page.path);
    }
  }
  expect([...found].map(([text, path]) => `${path}: ${text}`)).toEqual([]);
});

/** What every field of a form gets at once, to see what pages say of it. `npm test` tries some for each form. */
const wrong = ['', '\u0000', '…', '2020-01-01', '07700', `${typedMark} `.repeat(1_100)];

/** Texts of things that actions prepare, and of a comparison, which splits them. */
const prepared = [
  ...['engines', 'Can you stop my appointment?', 'Provided as PDF', 'Empty', 'recipient'],
  ...['Appointment', 'Hello ((name)), see you on Friday.'],
];

it('every problem and every notice can be translated', { timeout: 600_000 }, async () => {
  const pages = new Map(collectPages(harness.app).flatMap((page) => (page.act ? [[page.path, page]] : [])));
  const shown = new Map<string, { path: string; page: Page }>();
  const typed = new Set(prepared);
  for (const [place, listed] of everyAction(harness, world).entries()) {
    const action = { ...listed, ...(await listed.prepare?.()) };
    for (const text of Object.values(action.form ?? {}).flat()) typed.add(text);
    const send = async (form: Action['form'] = {}) => {
      const page = await sendAction(harness, world, pages, { ...action, form });
      shown.set(page.text, { path: action.path, page });
      return page;
    };
    for (const text of someOf(wrong, { count: 1, place }))
      await send({ ...filledWith(text, pages.get(action.path)), ...keptOf(action) });
    const names = Object.keys(action.form ?? {}).filter(
      (name) => action.noun !== undefined && !(name in keptOf(action)),
    );
    for (const name of someOf(names, { count: 1, place })) await send({ ...action.form, [name]: '…' });
    const done = await send(action.form);
    const { by } = action;
    const browser = typeof by === 'object' ? by : by && world.visitors.get(by)?.browser;
    if (browser && done.location) {
      const page = await browser.follow(done);
      shown.set(page.text, { path: action.path, page });
    }
    // Much can be done once.
    await send(action.form);
  }
  const known = await knownWords(harness, [...typed]);
  const found = new Map<string, string>();
  for (const { path, page } of shown.values()) for (const text of untranslated(page, known)) found.set(text, path);
  expect([...found].map(([text, path]) => `${path}: ${text}`)).toEqual([]);
  expect([...shown.values()].filter(({ page }) => page.status === 400).length).toBeGreaterThan(isLongRun ? 500 : 200);
});

function filledWith(text: string, page: DeclaredPage | undefined): Record<string, string> {
  const fields = Object.entries(page?.form?.properties ?? {});
  return Object.fromEntries(fields.map(([name, schema]) => ['items' in schema ? `${name}[]` : name, text]));
}

/** What must stay right: the button, and the password, which is counted when it is wrong. */
function keptOf({ form = {} }: Action): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(form).filter(([name]) => ['do', 'current_password'].includes(name)));
}
