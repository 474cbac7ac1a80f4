import { expect, it } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { aConsoleWorld } from '../../test/kit/world/console-world.ts';
import { knownWords, typedMark, untranslated } from '../../test/kit/world/untranslated.ts';
import { may } from './access/may.ts';
import { collectPages } from './collect-pages.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', environment: { LANGUAGES: 'en-XA,en' } });

it('every page has only texts that can be translated, for every role', { timeout: 300_000 }, async () => {
  const world = await aConsoleWorld(harness, typedMark);
  const known = await knownWords(harness);
  const found = new Map<string, string>();
  for (const { browser, user } of world.visitors.values()) {
    for (const page of collectPages(harness.app)) {
      const service = typeof page.who === 'object' ? world.service : undefined;
      if (may(page.who, user, service) !== 'yes') continue;
      for (const text of untranslated(await browser.get(world.urlOf(page)), known)) found.set(text, page.path);
    }
  }
  expect([...found].map(([text, path]) => `${path}: ${text}`)).toEqual([]);
});
