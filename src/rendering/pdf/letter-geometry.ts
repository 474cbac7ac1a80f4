import type { Box, Geometry } from '../../countries/letter-geometry.ts';

/** Paper dimensions are millimetres; drawing uses points. */
export const pointsPerMm = 72 / 25.4;

export const mm = (millimetres: number): number => millimetres * pointsPerMm;

/** Returns the printable boxes of a page. They touch but never overlap, so they can be cut out of a drawing one by one. */
export function printableBoxes({ firstPage, printable }: Geometry, page: { first_of_letter: boolean }): Box[] {
  const { logo, address, contactBlock, body, more } = firstPage;
  return page.first_of_letter ? [logo, address, contactBlock, body, ...more] : [printable];
}

/** How far an address may extend beyond its window and still be read. */
const addressGrowth_mm = 3;

/** Returns the area where the address of an uploaded letter is read. Lines above it, such as the sender's, are not part of it. */
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
