import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Harness } from '../../kit/harness.ts';
import { findBrowser } from './find-browser.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Opened {
  page: Page;
  /** The address of the server. */
  origin: string;
}

/**
 * A real browser on the harness, or on the server that `baseURL` names. A test fails when a page breaks its policy, logs
 * an error or asks another host than those that are also allowed.
 */
export function useBrowser(harness?: Harness, isAlsoAllowed: (url: string) => boolean = () => false) {
  let browser: Browser;
  let ofHarness: string | undefined;
  const wrong: string[] = [];

  beforeAll(async () => {
    ofHarness = await harness?.http.listen({ port: 0, host: '127.0.0.1' });
    browser = await chromium.launch({
      executablePath: findBrowser() ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--hide-scrollbars'],
    });
  });

  afterAll(() => browser?.close());

  afterEach(() => {
    expect(wrong.splice(0)).toEqual([]);
  });

  return async function open(options: BrowserContextOptions = {}): Promise<Opened> {
    const origin = options.baseURL ?? ofHarness ?? '';
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options, baseURL: origin });
    const page = await context.newPage();
    page.on('console', (message) => {
      // The browser logs responses with 4xx, which some pages are meant to have.
      if (message.type() === 'error' && !/Failed to load resource.*40\d/.test(message.text()))
        wrong.push(message.text());
    });
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('request', (request) => {
      const isOwn = request.url().startsWith(origin) || request.url().startsWith('data:');
      if (!isOwn && !isAlsoAllowed(request.url())) wrong.push(`asks ${request.url()}`);
    });
    return { page, origin };
  };
}

/** The others find the same in every theme. */
export const rulesAboutColours = ['color-contrast', 'link-in-text-block'];

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong, in words. */
export async function accessibilityProblems(page: Page, rules?: string[]): Promise<string[]> {
  // Not a script tag, which the policy of the page would refuse.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const runOnly = rules ? { type: 'rule' as const, values: rules } : { type: 'tag' as const, values: allRules };
  const { violations } = await page.evaluate(
    (options) => {
      const { axe: inPage } = globalThis as unknown as { axe: typeof axe };
      return inPage.run(options);
    },
    { runOnly, resultTypes: ['violations' as const] },
  );
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** Nothing but code and wide tables may scroll sideways. */
export function overflow_px(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
