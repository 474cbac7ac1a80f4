import type { LettersAtRate } from '../billing/usage.ts';

/** Letters of a bill in words: one line per kind of post and price. */

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

/** `45p` below a pound, `£1.55` from there on; halves go to the even neighbour. */
export function priceInWords(pounds: number): string {
  let words = known.get(pounds);
  if (words === undefined) {
    const pence = toEven(pounds * 100);
    words = pounds < 1 ? `${pence}p` : `£${poundsAndPence.format(pence / 100)}`;
    known.set(pounds, words);
  }
  return words;
}

// A report has thousands of lines and a few dozen prices; to put them into words was most of its time.
const known = new Map<number, string>();
const poundsAndPence = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function toEven(value: number): number {
  // 0.645 * 100 is 64.50000000000001 in floating point: twelve digits tell a half from what is beside it.
  const exact = Number(value.toPrecision(12));
  const below = Math.floor(exact);
  if (exact - below !== 0.5) return Math.round(exact);
  return below % 2 === 0 ? below : below + 1;
}
