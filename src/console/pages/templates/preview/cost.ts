import { getSmsRate, listLetterRates } from '../../../../billing/rates.ts';
import type { DraftPreview } from '../../../../delivery/previews/draft-preview.ts';
import { sheetsOf } from '../../../../rendering/letter/length.ts';
import type { ConsoleApp } from '../../../console-app.ts';

/** "2 parts, 4.8p" or "1 sheet, £0.68 second class": what one message costs. Undefined for emails, which cost nothing. */
export async function costInWords(
  app: ConsoleApp,
  preview: DraftPreview,
  postage: string | null,
): Promise<string | undefined> {
  if (preview.template_type === 'sms') {
    const { rate } = await getSmsRate(app);
    return `${several(preview.fragments, 'part')}, ${pence(rate * preview.fragments)} in the UK`;
  }
  if (preview.template_type === 'email') return undefined;
  const sheets = sheetsOf(preview.page_count);
  const rates = await listLetterRates(app);
  const found = rates.find(({ post_class, sheet_count }) => post_class === postage && sheet_count === sheets);
  const price = found ? `, ${pence(Number(found.rate))} ${postage} class` : '';
  return `${several(preview.page_count, 'page')}, ${several(sheets, 'sheet')}${price.replace('economy class', 'economy')}`;
}

const several = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function pence(pounds: number): string {
  const amount = Math.round(pounds * 10_000) / 100;
  return amount >= 100 ? `£${pounds.toFixed(2)}` : `${amount}p`;
}
