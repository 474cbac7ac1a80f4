import type { CountryProfile } from './profile.ts';

type Letter = CountryProfile['letter'];

/** Dimensions on paper are millimetres from the top left corner, as printers measure. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The paper of a country and the areas on it. Plain data, because it is passed to the threads that draw and check letters. */
export interface Geometry {
  /** `size` is the name in drawing libraries. */
  paper: { name: string; size: 'A4' | 'LETTER'; width_mm: number; height_mm: number };
  /** Where ink may be printed on later pages. */
  printable: Box;
  /** Where ink may be printed on the first page. Everything else is reserved for the envelope window and machine marks. */
  firstPage: { logo: Box; address: Box; contactBlock: Box; body: Box; more: Box[] };
  /** The corner where a printer's machine looks for a word to find the first page of a letter. */
  tag: { word: string; area: Box; left: number; baseline: number };
  /** The parts of a composed letter. */
  layout: {
    logo: Place;
    address: Place & { size_pt: number; leading_pt: number };
    contactBlock: Place;
    bodyLeft: number;
    bodyWidth: number;
    firstPageBodyTop: number;
    laterPageBodyTop: number;
    bodyBottom: number;
    footerRight: number;
    footerBaseline: number;
  };
  /** The machine marks that previews show. */
  marks: { codes: boolean; folds: number[]; holes: number[] };
}

interface Window {
  /** The left and right margins of every page. */
  margins: [left: number, right: number];
  address: Box;
  logoBottom: number;
  contactLeft: number;
  bodyTop: number;
  more?: Box[];
  /** Where composed letters begin, if not at the margin. */
  text?: { left?: number; contactTop?: number; bodyTop?: number; size_pt?: number; leading_pt?: number };
  folds?: number[];
  holes?: number[];
}

const papers: Record<Letter['paper'], Geometry['paper']> = {
  a4: { name: 'A4', size: 'A4', width_mm: 210, height_mm: 297 },
  letter: { name: 'US Letter', size: 'LETTER', width_mm: 215.9, height_mm: 279.4 },
};

/** The margin at the top and bottom of every page. */
const edge = 5;

/** The strip at the left edge for fold and punch marks. Machines do not need them, but letters designed for other envelopes have them. */
const foldMarks: Box = { left: 3, top: 80, right: 20, bottom: 220 };

const windows: Record<Extract<Letter['window'], string>, Window> = {
  'gb-c5': {
    margins: [15, 15],
    address: { left: 24.6, top: 39.5, right: 120, bottom: 66.3 },
    logoBottom: 30,
    contactLeft: 125,
    bodyTop: 95,
  },
  'nl-c5': {
    margins: [5, 5],
    address: { left: 24.6, top: 50, right: 120, bottom: 90 },
    logoBottom: 40,
    contactLeft: 125,
    bodyTop: 95,
    text: { left: 15, size_pt: 10, leading_pt: 12 },
  },
  // The address field of DIN 5008 is 45 mm high: the return line and postal remarks above, the address below.
  'din-5008-a': {
    margins: [20, 10],
    address: { left: 20, top: 44.7, right: 105, bottom: 72 },
    logoBottom: 27,
    contactLeft: 125,
    bodyTop: 80.5,
    more: [{ left: 20, top: 27, right: 105, bottom: 44.7 }, foldMarks],
    text: { left: 25, contactTop: 32, bodyTop: 85.5, size_pt: 10, leading_pt: 12.5 },
    folds: [87, 192],
    holes: [148.5],
  },
  'din-5008-b': {
    margins: [20, 10],
    address: { left: 20, top: 62.7, right: 105, bottom: 90 },
    logoBottom: 45,
    contactLeft: 125,
    bodyTop: 98.5,
    more: [{ left: 20, top: 45, right: 105, bottom: 62.7 }, foldMarks],
    text: { left: 25, contactTop: 50, bodyTop: 103.5, size_pt: 10, leading_pt: 12.5 },
    folds: [105, 210],
    holes: [148.5],
  },
  // The area that a window of 4½ by 1⅛ inches always shows, wherever the sheet has slid in a No. 10 envelope.
  'us-10': {
    margins: [12.7, 15],
    address: { left: 12.7, top: 51.9, right: 101.6, bottom: 74.1 },
    logoBottom: 45,
    contactLeft: 130.9,
    bodyTop: 86,
    text: { left: 15, bodyTop: 92 },
  },
};

export function createGeometry({ paper: paperName, window, tag }: Letter): Geometry {
  const paper = papers[paperName];
  const known = typeof window === 'string' ? windows[window] : undefined;
  const firstPage = typeof window === 'string' ? areasOf(windows[window], paper) : { ...window, more: [] };
  const { logo, contactBlock, body } = firstPage;
  return {
    paper,
    printable: { ...body, top: Math.min(logo.top, contactBlock.top) },
    firstPage,
    tag: { word: tag, area: { left: 0, top: 0, right: 15.191, bottom: 6.149 }, left: 3, baseline: 4.5 },
    layout: layOut(firstPage, known?.text ?? {}),
    marks: { codes: window === 'gb-c5', folds: known?.folds ?? [], holes: known?.holes ?? [] },
  };
}

type Areas = Geometry['firstPage'];

function areasOf({ margins, logoBottom, contactLeft, bodyTop, ...window }: Window, paper: Geometry['paper']): Areas {
  const left = margins[0];
  const right = rounded(paper.width_mm - margins[1]);
  return {
    logo: { left, top: edge, right: contactLeft, bottom: logoBottom },
    address: window.address,
    contactBlock: { left: contactLeft, top: edge, right, bottom: bodyTop },
    body: { left, top: bodyTop, right, bottom: rounded(paper.height_mm - edge) },
    more: window.more ?? [],
  };
}

/** The right edge is that of the printable area, so nothing can extend beyond it. */
function layOut({ logo, address, contactBlock, body }: Areas, text: NonNullable<Window['text']>): Geometry['layout'] {
  const bodyLeft = text.left ?? body.left;
  const logoLeft = Math.max(logo.left, text.left ?? 0);
  const addressLeft = Math.max(rounded(address.left + 0.1), text.left ?? 0);
  const contactTop = text.contactTop ?? contactBlock.top + edge;
  return {
    logo: {
      left: logoLeft,
      top: logo.top + edge,
      width: Math.min(70, rounded(logo.right - logoLeft)),
      height: Math.min(18, rounded(logo.bottom - logo.top - edge)),
    },
    address: {
      left: addressLeft,
      top: rounded(address.top + 0.1),
      width: Math.min(85, rounded(address.right - addressLeft - 0.1)),
      height: rounded(address.bottom - address.top - 0.2),
      size_pt: text.size_pt ?? 8,
      leading_pt: text.leading_pt ?? 8.5,
    },
    contactBlock: {
      left: contactBlock.left,
      top: contactTop,
      width: rounded(contactBlock.right - contactBlock.left),
      height: rounded(contactBlock.bottom - contactTop - 1),
    },
    bodyLeft,
    bodyWidth: Math.min(137.5, rounded(body.right - bodyLeft)),
    firstPageBodyTop: text.bodyTop ?? body.top + 9,
    laterPageBodyTop: Math.min(logo.top, contactBlock.top) + 10,
    bodyBottom: rounded(body.bottom - 10),
    footerRight: body.right,
    footerBaseline: rounded(body.bottom - 4),
  };
}

/** The minimum size of each area of a custom window, so that something can be printed in it. */
const least = {
  logo: { width: 20, height: 10 },
  address: { width: 50, height: 15 },
  contactBlock: { width: 30, height: 15 },
  body: { width: 80, height: 80 },
};

/** Returns the problems of a custom window, by field. */
export function findWindowProblems({ paper: paperName, window }: Letter): { path: string; text: string }[] {
  if (typeof window === 'string') return [];
  const paper = papers[paperName];
  const names = ['logo', 'address', 'contactBlock', 'body'] as const;
  return names.flatMap((name, index) => {
    const path = `letter.window.${name}`;
    const { left, top, right, bottom } = window[name];
    const { width, height } = least[name];
    if (left < 0 || top < 0 || right > paper.width_mm || bottom > paper.height_mm) {
      return [{ path, text: `must lie on the paper, which is ${paper.width_mm} by ${paper.height_mm} mm` }];
    }
    if (right - left < width || bottom - top < height) {
      return [{ path, text: `must be at least ${width} mm wide and ${height} mm high` }];
    }
    const other = names.slice(index + 1).find((one) => overlap(window[one], window[name]));
    return other ? [{ path, text: `must not overlap letter.window.${other}` }] : [];
  });
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Rounds away the remainders of binary fractions. */
function rounded(millimetres: number): number {
  return Math.round(millimetres * 1_000) / 1_000;
}
