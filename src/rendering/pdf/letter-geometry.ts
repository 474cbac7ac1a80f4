import type { Box, Geometry } from '../../countries/letter-geometry.ts';

/** Dimensions on paper are millimetres; drawing is in points. */
export const pointsPerMm = 72 / 25.4;

export const mm = (millimetres: number): number => millimetres * pointsPerMm;

/** The printable boxes of a page; they touch but never overlap, so a drawing may cut them out one by one. */
export function printableBoxes({ firstPage, printable }: Geometry, page: { first_of_letter: boolean }): Box[] {
  const { logo, address, contactBlock, body, more } = firstPage;
  return page.first_of_letter ? [logo, address, contactBlock, body, ...more] : [printable];
}

/** By how much an address may miss its window and still be read. */
const addressGrowth_mm = 3;

/** Where the address of an uploaded letter is read. Lines above it, such as that of the sender, are not part of it. */
export function addressReadingArea({ firstPage: { address, more } }: Geometry): Box {
  const above = more.filter(
    ({ bottom, left, right }) => bottom <= address.top && left < address.right && right > address.left,
  );
  return {
    left: address.left - addressGrowth_mm,
    top: Math.max(address.top - addressGrowth_mm, ...above.map(({ bottom }) => bottom)),
    right: address.right + addressGrowth_mm,
    bottom: address.bottom + addressGrowth_mm,
  };
}

export const maxPages = 10;

/** Letters are printed on both sides. */
export const sheetsOf = (page_count: number): number => Math.ceil(page_count / 2);
