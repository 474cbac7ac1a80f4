import type { Country } from '../countries/country.ts';
import { type Text, t } from '../language/text.ts';

/** What pages say and show of the paper of letters. */

const pixelsPerMm = 72 / 25.4;

/** For the picture of a page, so that a browser leaves room for it before it has arrived. */
export function sheetSize({ letter: { geometry } }: Country): { width: number; height: number } {
  const { width_mm, height_mm } = geometry.paper;
  return { width: Math.round(width_mm * pixelsPerMm), height: Math.round(height_mm * pixelsPerMm) };
}

/** "A4" */
export function paperName({ letter: { geometry } }: Country): string {
  return geometry.paper.name;
}

/** Why a PDF is refused whose pages are of another size; `usual` is the text of the United Kingdom. */
export function wrongPaper(country: Country, usual: Text): Text {
  return country.code === 'gb' ? usual : t('Pages must be {paperName}, upright.', { paperName: paperName(country) });
}
