import { beforeAll, expect, it } from 'vitest';
import { someQueuedMessages } from '../kit/builders/queued-messages.ts';
import { aService, aTemplate } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { aPerson, joinService, signedIn } from '../kit/world/console-people.ts';
import { accessibilityProblems, useBrowser } from './kit/browser.ts';

const harness = useHarness();
const open = useBrowser(harness);
let service: string;
let token: string;

beforeAll(async () => {
  service = await aService(harness);
  const template_id = await aTemplate(harness, service, { template_type: 'sms', content: 'Hello' });
  await someQueuedMessages(harness, service, [{ template_id }, { template_id }, { template_id }]);
  const person = await aPerson(harness, { name: 'Ada Lovelace' });
  await joinService(harness, service, person.id);
  token = (await signedIn(harness, person.id)).cookies.get('pennypost_session') ?? '';
});

it('j and k move through the rows, / searches, Enter opens; typing and a switch turn the keys off', async () => {
  const { page, origin } = await open();
  await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
  await page.goto(`/console/services/${service}/messages`);
  const rows = await page
    .locator('tbody th a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  expect(rows).toHaveLength(3);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('href') ?? document.activeElement?.id);
  const focusAfter = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
    return focused();
  };
  expect(await focusAfter('j')).toBe(rows[0]);
  expect(await focusAfter('j', 'j', 'j')).toBe(rows[2]);
  expect(await focusAfter('k')).toBe(rows[1]);
  expect(await focusAfter('/')).toBe('find');
  expect(await focusAfter('j', 'k', '/')).toBe('find');
  expect(await page.inputValue('#find')).toBe('jk/');
  await page.getByRole('button', { name: 'Switch shortcuts off' }).click();
  expect(await focusAfter('j')).not.toBe(rows[0]);
  await page.reload();
  await page.getByRole('button', { name: 'Switch shortcuts on' }).click();
  expect(await focusAfter('j', 'j')).toBe(rows[1]);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${rows[1]}`);
  await page.context().close();
});

it.each([true, false])(
  'says what the statuses mean: as a drawer, or on a page of its own (script: %s)',
  async (script) => {
    const { page, origin } = await open({ javaScriptEnabled: script });
    await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
    await page.goto(`/console/services/${service}/messages`);
    const link = page.getByRole('link', { name: 'What the statuses mean' });
    await link.focus();
    await page.keyboard.press('Enter');
    if (script) {
      const drawer = page.getByRole('dialog', { name: 'What the statuses mean' });
      await drawer.getByText('The phone number does not exist. Check the number.').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      expect(await link.evaluate((one) => one.matches(':focus'))).toBe(true);
    } else {
      await page.waitForURL('**/console/help/statuses');
      await page.getByText('The phone number does not exist. Check the number.').waitFor();
    }
    await page.context().close();
  },
);
