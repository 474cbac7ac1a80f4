/** All dimensions on paper. Millimetres from the top left corner, as printers measure; drawing is in points. */
export const pointsPerMm = 72 / 25.4;

export const mm = (millimetres: number): number => millimetres * pointsPerMm;

export const a4 = { width_mm: 210, height_mm: 297 } as const;

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * Where ink may be printed. On the first page everything else is reserved for the envelope window and machine marks.
 */
const printableArea: Box = { left: 15, top: 5, right: 195, bottom: 292 };

export const firstPageAreas = {
  logo: { left: 15, top: 5, right: 125, bottom: 30 },
  address: { left: 24.6, top: 39.5, right: 120, bottom: 66.3 },
  contactBlock: { left: 125, top: 5, right: 195, bottom: 95 },
  body: { left: 15, top: 95, right: 195, bottom: 292 },
} as const satisfies Record<string, Box>;

/** The printable boxes of a page; they touch but never overlap, so a drawing may cut them out one by one. */
export function printableBoxes(page: { first_of_letter: boolean }): Box[] {
  return page.first_of_letter ? Object.values(firstPageAreas) : [printableArea];
}

/** The corner in which a printer's machine looks for the word NOTIFY to find the first page of a letter. */
export const tagArea: Box = { left: 0, top: 0, right: 15.191, bottom: 6.149 };

/**
 * Positions of the parts of a composed letter. The right edge is that of the printable area, so nothing can exceed it.
 */
export const letterLayout = {
  logo: { left: 15, top: 10, width: 70, height: 18 },
  address: { left: 24.7, top: 39.6, width: 85, height: 26.6 },
  contactBlock: { left: 125, top: 10, width: 70, height: 84 },
  bodyLeft: 15,
  bodyWidth: 137.5,
  firstPageBodyTop: 104,
  laterPageBodyTop: 15,
  bodyBottom: 282,
  footerRight: 195,
  footerBaseline: 288,
  tag: { left: 3, baseline: 4.5 },
} as const;

export const maxPages = 10;

/** Letters are printed on both sides. */
export const sheetsOf = (page_count: number): number => Math.ceil(page_count / 2);
