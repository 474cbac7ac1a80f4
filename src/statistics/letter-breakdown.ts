import type { LettersAtRate } from '../billing/usage.ts';
import type { Country } from '../countries/country.ts';

/** Formats the letters of a bill: one line per postage and price. */

const postInWords: Record<string, string> = {
  economy: 'economy class',
  second: 'second class',
  first: 'first class',
  europe: 'international',
  'rest-of-world': 'international',
};

export function letterBreakdown({ money }: Pick<Country, 'money'>, lines: LettersAtRate[]): string {
  const byPost = new Map(Object.values(postInWords).map((post) => [post, new Map<number, number>()]));
  for (const [postage, rate, letters] of lines) {
    const atRate = byPost.get(postInWords[postage] ?? '');
    atRate?.set(rate, (atRate.get(rate) ?? 0) + letters);
  }
  return [...byPost]
    .flatMap(([post, atRate]) =>
      [...atRate]
        .sort(([a], [b]) => a - b)
        .map(([rate, letters]) => `${letters} ${post} letters at ${money.bill(rate)}\n`),
    )
    .join('');
}
