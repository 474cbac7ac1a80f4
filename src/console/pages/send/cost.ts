import { findSmsRate, listLetterRates } from '../../../billing/rates.ts';
import type { DraftPreview } from '../../../delivery/previews/draft-preview.ts';
import type { Platform } from '../../../platform/platform.ts';
import { sheetsOf } from '../../../rendering/pdf/letter-geometry.ts';
import { postageName } from '../../message-words.ts';
import { several } from '../../money.ts';

/** Undefined where texts have no price yet. */
export async function costOfTexts(app: Platform, parts: number): Promise<number | undefined> {
  const found = await findSmsRate(app);
  return found && parts * found.rate;
}

/** Undefined where no price is known for this postage and number of sheets. */
export async function costOfLetter(app: Platform, sheets: number, postage: string): Promise<number | undefined> {
  const rates = await listLetterRates(app);
  const found = rates.find(({ post_class, sheet_count }) => post_class === postage && sheet_count === sheets);
  return found && Number(found.rate);
}

/**
 * What one message of a preview costs: "2 parts, 4.8p in the UK". While values are missing, it may be more. Undefined for
 * emails, which cost nothing.
 */
export async function describeCost(
  app: Platform,
  preview: DraftPreview,
  postage: string | null,
): Promise<string | undefined> {
  const { money, words } = app.country;
  switch (preview.template_type) {
    case 'sms': {
      const parts = several(preview.fragments, 'part');
      const cost = await costOfTexts(app, preview.fragments);
      const figures = [parts, ...(cost === undefined ? [] : [`${money.price(cost)} ${words.inCountry}`])];
      return figures.map((figure) => (preview.is_minimum ? `at least ${figure}` : figure)).join(', ');
    }
    case 'email':
      return undefined;
    case 'letter': {
      const sheets = sheetsOf(preview.page_count);
      const cost = postage === null ? undefined : await costOfLetter(app, sheets, postage);
      const priced = cost === undefined ? '' : `, ${money.price(cost)} ${postageName(app.country, postage ?? '')}`;
      return `${several(preview.page_count, 'page')}, ${several(sheets, 'sheet')}${priced}`;
    }
  }
}
