import type { Country } from '../countries/country.ts';
import { type Text, t } from '../language/text.ts';

/** How pages describe and show the paper of letters. */

const pixelsPerMm = 72 / 25.4;

/** Size attributes for the image of a page, so that a browser reserves space before it is loaded. */
export function sheetSize({ letter: { geometry } }: Country): { width: number; height: number } {
  const { width_mm, height_mm } = geometry.paper;
  return { width: Math.round(width_mm * pixelsPerMm), height: Math.round(height_mm * pixelsPerMm) };
}

/** For example "A4". */
export function paperName({ letter: { geometry } }: Country): string {
  return geometry.paper.name;
}

/** Returns why a PDF with another page size is rejected; `usual` is the text for the United Kingdom. */
export function wrongPaper(country: Country, usual: Text): Text {
  return country.code === 'gb' ? usual : t('Pages must be {paperName}, portrait.', { paperName: paperName(country) });
}
