import type { Page } from 'playwright-core';

/** What has a box of its own, and says something that must be seen whole. */
const boxes = 'button, .button, .badge, .status, .label, .tabs a, .segments a, summary, legend, h1, h2, h3, th, dt';

/** Texts that reach out of their box, or of the window, where nothing scrolls. */
export function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate((selector) => {
    const isScrolled = (element: Element) =>
      ['pre', '.table-wrap', '.sr', '[aria-hidden="true"]'].some((name) => element.closest(name)) ||
      getComputedStyle(element.closest('thead') ?? element).clipPath !== 'none';
    const reachesOut = (text: DOMRect, box: { left: number; right: number }) =>
      text.width > 1 && (text.left < box.left - 1 || text.right > box.right + 1);
    return [...document.querySelectorAll(selector)].flatMap((element) => {
      if (!element.checkVisibility({ checkVisibilityCSS: true }) || isScrolled(element)) return [];
      const box = element.getBoundingClientRect();
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.parentElement || isScrolled(node.parentElement)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const rects = [...range.getClientRects()];
        const window = { left: 0, right: document.documentElement.clientWidth };
        if (rects.some((text) => reachesOut(text, box) || reachesOut(text, window))) found.push(node.textContent ?? '');
      }
      return found.map((text) => `cuts “${text.trim()}” of ${element.tagName.toLowerCase()}.${element.className}`);
    });
  }, boxes);
}
