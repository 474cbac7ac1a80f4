import { findSmsRate, listLetterRates } from '../../../billing/rates.ts';
import type { DraftPreview } from '../../../delivery/previews/draft-preview.ts';
import { joined, type Text, t } from '../../../language/text.ts';
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
): Promise<Text | undefined> {
  const { money, words } = app.country;
  switch (preview.template_type) {
    case 'sms': {
      const cost = await costOfTexts(app, preview.fragments);
      const priced =
        cost === undefined ? [] : [t('{price} {inCountry}', { price: money.price(cost), inCountry: words.inCountry })];
      return joined(atLeast(preview.is_minimum, [several(preview.fragments, 'part'), ...priced]), ', ');
    }
    case 'email':
      return undefined;
    case 'letter': {
      const sheets = sheetsOf(preview.page_count);
      const cost = postage === null ? undefined : await costOfLetter(app, sheets, postage);
      const values = { price: money.price(cost ?? 0), postage: postageName(app.country, postage ?? '') };
      const priced = cost === undefined ? [] : [t('{price} {postage}', values)];
      return joined([several(preview.page_count, 'page'), several(sheets, 'sheet'), ...priced], ', ');
    }
  }
}

/** While values are missing, a message may become longer. */
export function atLeast(isMinimum: boolean, figures: readonly string[]): readonly string[] {
  return isMinimum ? figures.map((figure) => t('at least {figure}', { figure })) : figures;
}
