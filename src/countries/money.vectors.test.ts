import { describe, expect, it } from 'vitest';
import { casesOf } from '../../test/kit/vectors.ts';
import { gb } from './gb.ts';
import { createMoney } from './money.ts';

interface LocaleCase {
  id: string;
  kind: 'money';
  input: { locale: string; currency: string; amount: number };
  expected: { total: string; price: string; fraction_digits: number };
}

interface PoundsCase {
  id: string;
  kind: 'money-gb';
  /** Pages that send and that preview once had a formatter each; they write prices like every other page. */
  input: { formatter: 'total' | 'price' | 'send' | 'preview' | 'bill'; amount: number };
  expected: { text: string };
}

const cases = casesOf<LocaleCase | PoundsCase>('countries/money.json');

describe('in pounds', () => {
  const { total, price, bill } = createMoney(gb);
  const formatters = { total, price, send: price, preview: price, bill };
  it.each(cases.filter((one) => one.kind === 'money-gb'))(
    '$id: $input.formatter $input.amount',
    ({ input, expected }) => expect(formatters[input.formatter](input.amount)).toBe(expected.text),
  );
});

describe('in the format of a locale', () => {
  it.each(cases.filter((one) => one.kind === 'money'))(
    '$id: $input.locale $input.currency $input.amount',
    ({ input: { locale, currency, amount }, expected }) => {
      const { total, price } = createMoney({ locale, money: { currency, priceDecimals: 4, style: 'intl' } });
      expect(withPlainSpaces(total(amount))).toBe(withPlainSpaces(expected.total));
      expect(withPlainSpaces(price(amount))).toBe(withPlainSpaces(expected.price));
    },
  );
});

/** Which kind of space stands beside a currency depends on the release of Node. */
function withPlainSpaces(text: string): string {
  return text.replaceAll(/\s/g, ' ');
}
