import type { LettersAtRate } from '../billing/usage.ts';

/** Formats the letters of a bill: one line per postage and price. */

const postInWords: Record<string, string> = {
  economy: 'economy class',
  second: 'second class',
  first: 'first class',
  europe: 'international',
  'rest-of-world': 'international',
};

export function letterBreakdown(lines: LettersAtRate[]): string {
  const byPost = new Map(Object.values(postInWords).map((post) => [post, new Map<number, number>()]));
  for (const [postage, rate, letters] of lines) {
    const atRate = byPost.get(postInWords[postage] ?? '');
    atRate?.set(rate, (atRate.get(rate) ?? 0) + letters);
  }
  return [...byPost]
    .flatMap(([post, atRate]) =>
      [...atRate]
        .sort(([a], [b]) => a - b)
        .map(([rate, letters]) => `${letters} ${post} letters at ${priceInWords(rate)}\n`),
    )
    .join('');
}

/** Formats `45p` below one pound, `£1.55` otherwise. Rounds half to even. */
export function priceInWords(pounds: number): string {
  let text = formattedPrices.get(pounds);
  if (text === undefined) {
    const pence = roundHalfToEven(pounds * 100);
    text = pounds < 1 ? `${pence}p` : `£${poundsAndPence.format(pence / 100)}`;
    formattedPrices.set(pounds, text);
  }
  return text;
}

// A report has thousands of lines but only a few dozen prices, and formatting took most of its time.
const formattedPrices = new Map<number, string>();
const poundsAndPence = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function roundHalfToEven(value: number): number {
  // 0.645 * 100 is 64.50000000000001 in floating point: rounding to twelve digits recovers exact halves.
  const exact = Number(value.toPrecision(12));
  const below = Math.floor(exact);
  if (exact - below !== 0.5) return Math.round(exact);
  return below % 2 === 0 ? below : below + 1;
}
