import { mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { accessibilityProblems, overflow_px, rulesAboutColours } from './browser.ts';
import { clippedTexts, reversedCodes } from './texts.ts';

const folder = 'test/browser/output';
mkdirSync(folder, { recursive: true });

const colours = [
  ['light', { colorScheme: 'light', forcedColors: 'none' }],
  ['dark', { colorScheme: 'dark', forcedColors: 'none' }],
  ['forced', { colorScheme: 'light', forcedColors: 'active' }],
] as const;

/**
 * Looks at a page that is open in every size and colour, and keeps pictures. What does not depend on colours is checked
 * once per size.
 */
export async function problemsInEveryLook(page: Page, name: string, { largeText = true } = {}): Promise<string[]> {
  const wrong: string[] = [];
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 860 });
    wrong.push(...(await misfits(page)).map((problem) => `${name} at ${width} ${problem}`));
    if (await isStampOverText(page)) wrong.push(`${name} at ${width} has the stamp over its text`);
    for (const [colour, media] of colours) {
      await page.emulateMedia(media);
      const problems = await accessibilityProblems(page, colour === 'light' ? undefined : rulesAboutColours);
      wrong.push(...problems.map((problem) => `${name}, ${colour} at ${width}: ${problem}`));
      await page.screenshot({ path: `${folder}/${name}-${colour}-${width}.png`, fullPage: true });
    }
  }
  if (largeText) wrong.push(...(await problemsWithLargeText(page, name)));
  return wrong;
}

/** What does not fit into the window, or into its box. */
async function misfits(page: Page): Promise<string[]> {
  const isWide = (await overflow_px(page)) > 0;
  return [...(isWide ? ['scrolls sideways'] : []), ...(await clippedTexts(page))];
}

/** For languages with longer texts. */
export async function problemsOfTexts(page: Page, name: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 860 });
    wrong.push(...(await misfits(page)).map((problem) => `${name} at ${width} ${problem}`));
  }
  return wrong;
}

/** For a language that is written from right to left. */
export async function problemsFromRightToLeft(page: Page, name: string): Promise<string[]> {
  await page.setViewportSize({ width: 320, height: 860 });
  const direction = await page.locator('html').getAttribute('dir');
  const problems = [...(direction === 'rtl' ? [] : ['is from left to right']), ...(await misfits(page))];
  problems.push(...(await accessibilityProblems(page)));
  await page.screenshot({ path: `${folder}/${name}-320.png`, fullPage: true });
  problems.push(...(await reversedCodes(page)));
  return problems.map((problem) => `${name} at 320 ${problem}`);
}

/** The lines themselves are compared: their element is as wide as the page. The drawing begins a little within its frame. */
function isStampOverText(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const stamp = document.querySelector('.cancelled-stamp')?.getBoundingClientRect();
    if (!stamp) return false;
    return [...document.querySelectorAll('h1, .lead')].some((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      return [...text.getClientRects()].some(
        ({ left, right, top, bottom }) =>
          left < stamp.right && right > stamp.left + 8 && top < stamp.bottom && bottom > stamp.top,
      );
    });
  });
}

const usualText = { standard: 16, fixed: 13 };

/** Text twice as large, as people set it in their browser: unlike a style, this also changes what media queries measure. */
async function problemsWithLargeText(page: Page, name: string): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { standard, fixed } = usualText;
  await session.send('Page.setFontSizes', { fontSizes: { standard: 2 * standard, fixed: 2 * fixed } });
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  const problems = [...(await misfits(page)), ...(await accessibilityProblems(page))];
  await page.screenshot({ path: `${folder}/${name}-large-text.png`, fullPage: true });
  await session.send('Page.setFontSizes', { fontSizes: usualText });
  await session.detach();
  return problems.map((problem) => `${name} with text at 200 %: ${problem}`);
}

/** With SCREENSHOTS set, writes a picture of the README: the top of a page, compressed well. */
export async function takePicture(
  page: Page,
  name: string,
  { colorScheme = 'light', visible_px = 900 }: { colorScheme?: 'light' | 'dark'; visible_px?: number } = {},
): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  await page.setViewportSize({ width: 1280, height: visible_px });
  await page.emulateMedia({ colorScheme, forcedColors: 'none' });
  await page.evaluate(() => scrollTo(0, 0));
  const { width, height, data } = PNG.sync.read(await page.screenshot());
  const picture = Object.assign(new PNG({ width, height }), { data });
  mkdirSync('docs/images', { recursive: true });
  writeFileSync(`docs/images/${name}.png`, PNG.sync.write(picture, { colorType: 2, deflateLevel: 9, filterType: -1 }));
}
