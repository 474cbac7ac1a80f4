import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const isFocused = (locator: Locator) => locator.evaluate((one) => one === document.activeElement);

/** Whether the focus can be seen. The field of the editor has its ring around both of its layers. */
const hasRing = (one: Element) =>
  [one, one.closest('.editor')].some((ringed) => ringed && getComputedStyle(ringed).outlineStyle !== 'none');

/** Moves the focus with the Tab key alone, as far as the page goes, and checks that it can be seen. */
export async function tabTo(page: Page, locator: Locator): Promise<void> {
  await locator.waitFor();
  for (let pressed = 0; pressed < 120; pressed += 1) {
    if (await isFocused(locator)) {
      expect(await locator.evaluate(hasRing)).toBe(true);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${locator}`);
}

/** How somebody fills in and presses things: with a mouse, or with the keyboard only. */
export interface InputDevice {
  fill(locator: Locator, text: string): Promise<void>;
  press(locator: Locator): Promise<void>;
  choose(locator: Locator, label: string): Promise<void>;
  /** Chooses one of several radio buttons. */
  tick(locator: Locator): Promise<void>;
}

export const mouse: InputDevice = {
  fill: (locator, text) => locator.fill(text),
  press: (locator) => locator.click(),
  choose: async (locator, label) => void (await locator.selectOption({ label })),
  tick: (locator) => locator.check(),
};

export const keyboardOnly: InputDevice = {
  async fill(locator, text) {
    await tabTo(locator.page(), locator);
    await locator.page().keyboard.type(text);
  },
  async press(locator) {
    await tabTo(locator.page(), locator);
    await locator.page().keyboard.press('Enter');
  },
  async choose(locator, label) {
    await tabTo(locator.page(), locator);
    await locator.page().keyboard.type(label);
    expect(await locator.evaluate((one) => (one as HTMLSelectElement).selectedOptions[0]?.label)).toBe(label);
  },
  async tick(locator) {
    const { keyboard } = locator.page();
    await tabTo(locator.page(), locator.page().getByRole('radio').first());
    await keyboard.press('Space');
    for (let pressed = 0; pressed < 10 && !(await locator.isChecked()); pressed += 1) await keyboard.press('ArrowDown');
    expect(await locator.isChecked()).toBe(true);
  },
};
