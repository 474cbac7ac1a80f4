/** Letters of a bill in words: one line per kind of post and price. */

const kinds = ['economy', 'second', 'first', 'international'] as const;
const kindOf: Record<string, (typeof kinds)[number]> = {
  economy: 'economy',
  second: 'second',
  first: 'first',
  europe: 'international',
  'rest-of-world': 'international',
};
const inWords = {
  economy: 'economy class',
  second: 'second class',
  first: 'first class',
  international: 'international',
};

interface LettersAtRate {
  postage: string;
  /** Pounds, a decimal as text. */
  rate: string;
  letters: number;
}

export function letterBreakdown(lines: LettersAtRate[]): string {
  return kinds
    .flatMap((kind) => {
      const atPrice = new Map<number, number>();
      for (const { postage, rate, letters } of lines) {
        if (kindOf[postage] === kind) atPrice.set(Number(rate), (atPrice.get(Number(rate)) ?? 0) + letters);
      }
      return [...atPrice]
        .sort(([a], [b]) => a - b)
        .map(([rate, letters]) => `${letters} ${inWords[kind]} letters at ${priceInWords(rate)}\n`);
    })
    .join('');
}

/** `45p` below a pound, `£1.55` from there on; halves go to the even neighbour. */
export function priceInWords(pounds: number): string {
  const pence = toEven(pounds * 100);
  if (pounds < 1) return `${pence}p`;
  return `£${poundsAndPence.format(pence / 100)}`;
}

// Made once: making it took longer than all the rest of a bill.
const poundsAndPence = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function toEven(value: number): number {
  // 0.645 * 100 is 64.50000000000001 in floating point: twelve digits tell a half from what is beside it.
  const exact = Number(value.toPrecision(12));
  const below = Math.floor(exact);
  if (exact - below !== 0.5) return Math.round(exact);
  return below % 2 === 0 ? below : below + 1;
}
