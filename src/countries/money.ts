import type { CountryProfile } from './profile.ts';

/** Formats amounts of one currency as people of a country write them. Amounts are in the major unit: pounds, euros. */
export interface Money {
  /** The ISO 4217 code. */
  currency: string;
  /** The currency field of API responses: none for GBP, which the protocol implies. */
  currencyField: { currency?: string };
  /** The unit in a sentence: pounds, euros. */
  unit: string;
  /** The highest price that a form accepts. */
  maxPrice: number;
  /** Formats a sum: £1,204.20. */
  total(amount: number): string;
  /** Formats the price of one message, which may be less than the smallest coin: 2.4p. */
  price(amount: number): string;
  /** Formats a price on a bill. */
  bill(amount: number): string;
  /** Returns the heading of a column of plain numbers: Cost, £. */
  heading(word: string): string;
  /** Formats a plain number, as an example of what a form accepts: 0.0227. */
  plain(amount: number): string;
  /** Parses form input. Returns undefined if the amount is ambiguous. */
  read(text: string): number | undefined;
}

export function createMoney({ money, locale }: Pick<CountryProfile, 'money' | 'locale'>): Money {
  return money.style === 'gb' && money.currency === 'GBP' ? pounds() : moneyOfLocale(money, locale);
}

/** Writes amounts below one pound in pence; on a bill, pence are rounded half to even. */
function pounds(): Money {
  const inPounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });
  const total = (amount: number) => inPounds.format(amount);
  const maxPrice = 1_000;
  return {
    currency: 'GBP',
    currencyField: {},
    unit: 'pounds',
    maxPrice,
    total,
    price: (amount) => (amount >= 1 ? total(amount) : `${Number((amount * 100).toFixed(2))}p`),
    bill: remembered((amount) => {
      const pence = roundHalfToEven(amount * 100);
      return amount < 1 ? `${pence}p` : total(pence / 100);
    }),
    heading: (word) => `${word}, £`,
    plain: (amount) => amount.toLocaleString('en-GB', { maximumFractionDigits: 6 }),
    read(text) {
      const digits = text.replace(/^£\s*/, '');
      const amount = /^\d{1,4}(\.\d{1,6})?$/.test(digits) ? Number(digits) : Number.NaN;
      return amount <= maxPrice ? amount : undefined;
    },
  };
}

function moneyOfLocale({ currency, priceDecimals }: CountryProfile['money'], locale: string): Money {
  const sums = new Intl.NumberFormat(locale, { style: 'currency', currency });
  const digits = sums.resolvedOptions().maximumFractionDigits ?? 2;
  const prices = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, priceDecimals),
  });
  // Forms accept only the digits 0 to 9, so examples use them in every locale.
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 6, numberingSystem: 'latn' });
  const named = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'name' });
  const partOf = (format: Intl.NumberFormat, type: string, amount: number) =>
    format.formatToParts(amount).find((part) => part.type === type)?.value ?? '';
  const marks = [partOf(sums, 'currency', 1), currency].map(escapeRegExp).join('|');
  const typed = new RegExp(`^(?:(?:${marks})\\s*)?(\\d{1,6}(?:[.,]\\d{1,6})?)(?:\\s*(?:${marks}))?$`);
  // Some read 1.250 as 1.25, others as 1,250, because a dot separates their thousands.
  const thousands = new RegExp(`^[1-9]\\d{0,2}${escapeRegExp(partOf(numbers, 'group', 1_000_000) || ',')}\\d{3}$`);
  // Higher than for pounds: a letter may cost more than a thousand yen or forints.
  const maxPrice = 100_000;
  const price = remembered((amount) => prices.format(amount));
  return {
    currency,
    currencyField: currency === 'GBP' ? {} : { currency },
    unit: partOf(named, 'currency', 2),
    maxPrice,
    total: (amount) => sums.format(amount),
    price,
    bill: price,
    heading: (word) => `${word}, ${currency}`,
    plain: (amount) => numbers.format(amount),
    read(text) {
      const number = typed.exec(text)?.[1];
      if (number === undefined || thousands.test(number)) return undefined;
      const amount = Number(number.replace(',', '.'));
      return amount <= maxPrice ? amount : undefined;
    },
  };
}

const maxRemembered = 1_000;

/** Caches formatted amounts: a report has thousands of lines but only a few dozen prices, and formatting took most of its time. */
function remembered(format: (amount: number) => string): (amount: number) => string {
  const texts = new Map<number, string>();
  return (amount) => {
    let text = texts.get(amount);
    if (text === undefined) {
      text = format(amount);
      if (texts.size === maxRemembered) texts.clear();
      texts.set(amount, text);
    }
    return text;
  };
}

function roundHalfToEven(value: number): number {
  // 0.645 * 100 is 64.50000000000001 in floating point: rounding to twelve digits recovers exact halves.
  const exact = Number(value.toPrecision(12));
  const below = Math.floor(exact);
  if (exact - below !== 0.5) return Math.round(exact);
  return below % 2 === 0 ? below : below + 1;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
