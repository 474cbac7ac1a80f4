import { costOfLetter, costOfTexts } from '../../../billing/rates.ts';
import type { DraftPreview } from '../../../delivery/previews/draft-preview.ts';
import { declared, joined, type Text, t } from '../../../language/text.ts';
import type { Platform } from '../../../platform/platform.ts';
import { sheetsOf } from '../../../rendering/pdf/letter-geometry.ts';
import { postageName } from '../../message-labels.ts';
import { several } from '../../money.ts';

/** Returns the price of one previewed message; undefined if no price is known. */
export async function priceOf(
  app: Platform,
  preview: DraftPreview,
  postage: string | null,
): Promise<number | undefined> {
  switch (preview.template_type) {
    case 'sms':
      return costOfTexts(app, preview.fragments);
    case 'email':
      return 0;
    case 'letter':
      return postage === null ? undefined : costOfLetter(app, sheetsOf(preview.page_count), postage);
  }
}

/**
 * Describes the cost of one previewed message: "2 parts, 4.8p in the UK". It is a minimum if values are missing. Undefined for emails,
 * which cost nothing.
 */
export async function describeCost(
  app: Platform,
  preview: DraftPreview,
  postage: string | null,
): Promise<Text | undefined> {
  const { money, words } = app.country;
  const cost = await priceOf(app, preview, postage);
  switch (preview.template_type) {
    case 'sms': {
      const priced =
        cost === undefined
          ? []
          : [t('{price} {inCountry}', { price: money.price(cost), inCountry: declared(words.inCountry) })];
      return joined(atLeast(preview.is_minimum, [several(preview.fragments, 'part'), ...priced]), ', ');
    }
    case 'email':
      return undefined;
    case 'letter': {
      const sheets = sheetsOf(preview.page_count);
      const values = { price: money.price(cost ?? 0), postage: postageName(app.country, postage ?? '') };
      const priced = cost === undefined ? [] : [t('{price} {postage}', values)];
      return joined([several(preview.page_count, 'page'), several(sheets, 'sheet'), ...priced], ', ');
    }
  }
}

/** With missing values, a message may still become longer. */
export function atLeast(isMinimum: boolean, figures: readonly string[]): readonly string[] {
  return isMinimum ? figures.map((figure) => t('at least {figure}', { figure })) : figures;
}
