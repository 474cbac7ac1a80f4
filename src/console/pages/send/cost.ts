import { getSmsRate, listLetterRates } from '../../../billing/rates.ts';
import type { Platform } from '../../../platform/platform.ts';

export async function costOfTexts(app: Platform, parts: number): Promise<number> {
  return parts * (await getSmsRate(app)).rate;
}

/** Undefined where no price is known for this postage and number of sheets. */
export async function costOfLetter(app: Platform, sheets: number, postage: string): Promise<number | undefined> {
  const rates = await listLetterRates(app);
  const found = rates.find(({ post_class, sheet_count }) => post_class === postage && sheet_count === sheets);
  return found && Number(found.rate);
}

/** "2.4p", "£12.40" */
export function costInWords(pounds: number): string {
  if (pounds < 1) return `${(pounds * 100).toLocaleString('en-GB', { maximumFractionDigits: 2 })}p`;
  return pounds.toLocaleString('en-GB', { style: 'currency', currency: 'GBP' });
}
