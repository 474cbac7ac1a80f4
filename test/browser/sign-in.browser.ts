import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useHarness } from '../kit/harness.ts';
import { accountMessages } from '../kit/world/account-messages.ts';
import { aPerson, password } from '../kit/world/console-people.ts';
import { accessibilityProblems, useBrowser } from './kit/browser.ts';

const harness = useHarness({ now: '2026-11-15T14:02:00Z' });
const open = useBrowser(harness);

const lastCode = async () => (await accountMessages(harness)).at(-1)?.personalisation.verify_code ?? '';

describe.each([
  ['with script', { javaScriptEnabled: true }],
  ['without script', { javaScriptEnabled: false }],
])('signing in, %s', (_name, options) => {
  it('leads to the services', async () => {
    const user = await aPerson(harness);
    const { page } = await open(options);
    await page.goto('/');
    await page.getByLabel('Email address').fill(user.email_address);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Security code').fill(await lastCode());
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your services');
  });

  it('moves the focus to what is wrong, and from there to the field', async () => {
    const { page } = await open(options);
    await page.goto('/console/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => focused(page)).toContain('There is a problem');
    if (options.javaScriptEnabled) expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Enter your password.' }).click();
    expect(page.url()).toMatch(/#password$/);
  });
});

function focused(page: Page): Promise<string> {
  return page
    .locator(':focus')
    .textContent({ timeout: 5_000 })
    .then((text) => text ?? '');
}

describe('signing in with the keyboard only', () => {
  it('shows where the focus is, in the order of the page', async () => {
    // With an administrator, the page has no link to the set-up.
    const user = await aPerson(harness, { platform_admin: true });
    const { page } = await open();
    await page.goto('/console/sign-in');
    const press = async (count: number) => {
      for (let pressed = 0; pressed < count; pressed += 1) await page.keyboard.press('Tab');
    };
    await press(2);
    await page.keyboard.type(user.email_address);
    await press(1);
    await page.keyboard.type(password);
    const outline = await page.evaluate(() => {
      const element = (globalThis as unknown as { document: { activeElement: object } }).document.activeElement;
      return (globalThis as unknown as { getComputedStyle(e: object): { outlineWidth: string } }).getComputedStyle(
        element,
      ).outlineWidth;
    });
    expect(outline).toBe('3px');
    await page.keyboard.press('Enter');
    await page.getByLabel('Security code').waitFor();
    await press(2);
    await page.keyboard.type(await lastCode());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your services' }).waitFor();
  });
});

describe('the fields of passwords', () => {
  it('show what was typed when asked to', async () => {
    const { page } = await open();
    await page.goto('/console/sign-in');
    const field = page.locator('#password');
    await field.fill('secret');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await field.getAttribute('type')).toBe('text');
    await page.getByRole('button', { name: 'Hide password' }).click();
    expect(await field.getAttribute('type')).toBe('password');
  });
});
