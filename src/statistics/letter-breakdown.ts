import type { LettersAtRate } from '../billing/usage.ts';
import type { Country } from '../countries/country.ts';
import { listPostage, postageLabel } from '../countries/postage.ts';

/** Formats the letters of a bill: one line per postage and price. In the United Kingdom in the words of GOV.UK Notify. */

const postInWords: Record<string, string> = {
  economy: 'economy class',
  second: 'second class',
  first: 'first class',
  europe: 'international',
  'rest-of-world': 'international',
};

export function letterBreakdown(country: Pick<Country, 'code' | 'money' | 'postage'>, lines: LettersAtRate[]): string {
  const inWords = (postage: string) =>
    (country.code === 'gb' ? postInWords[postage] : undefined) ?? postageLabel(country.postage, postage);
  const inOrder = country.code === 'gb' ? Object.keys(postInWords) : listPostage(country.postage);
  const byPost = new Map(inOrder.map((postage) => [inWords(postage), new Map<number, number>()]));
  for (const [postage, rate, letters] of lines) {
    const atRate = byPost.get(inWords(postage)) ?? new Map<number, number>();
    byPost.set(inWords(postage), atRate.set(rate, (atRate.get(rate) ?? 0) + letters));
  }
  return [...byPost]
    .flatMap(([post, atRate]) =>
      [...atRate]
        .sort(([a], [b]) => a - b)
        .map(([rate, letters]) => `${letters} ${post} letters at ${country.money.bill(rate)}\n`),
    )
    .join('');
}
