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

/** Phone numbers, email addresses, web addresses and ids. Not those in translations, whose words the pseudo-language turns itself. */
const codes = String.raw`(?<![\u202e\d])(?:\+?\d[\d ()-]{6,}\d|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?://[^\s<>“”]+|[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4})`;

/**
 * Elements in which a phone number or a code would stand in the wrong order on a page from right to left. Each is replaced with a number that
 * has no letter to show its direction, so this must be the last look at a page.
 */
export function reversedCodes(page: Page): Promise<string[]> {
  return page.evaluate((pattern) => {
    const number = '+1 (23) 45';
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? '';
      const parent = node.parentElement;
      if (!parent?.checkVisibility({ checkVisibilityCSS: true })) continue;
      const at = text.search(new RegExp(pattern));
      if (at < 0) continue;
      node.textContent = text.replace(new RegExp(pattern), number);
      const [first, last] = [at, at + number.length - 1].map((index) => {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        return range.getBoundingClientRect();
      });
      if (first && last && first.top === last.top && first.left > last.left)
        found.push(`reverses “${text.trim()}” of ${parent.outerHTML.slice(0, 200)}`);
    }
    return found;
  }, codes);
}
