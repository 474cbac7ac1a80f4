import { describe, expect, it } from 'vitest';
import { gb } from './gb.ts';
import { createMoney } from './money.ts';

const pounds = createMoney(gb);
const moneyOf = (locale: string, currency: string) =>
  createMoney({ locale, money: { currency, priceDecimals: 4, style: 'intl' } });
const spaced = (text: string) => text.replaceAll(/\s/g, ' ');

describe('pounds', () => {
  it.each([
    [0, '£0.00', '0p', '0p'],
    [0.024, '£0.02', '2.4p', '2p'],
    [0.45, '£0.45', '45p', '45p'],
    [0.638, '£0.64', '63.8p', '64p'],
    [0.645, '£0.65', '64.5p', '64p'],
    [0.655, '£0.66', '65.5p', '66p'],
    [0.995, '£1.00', '99.5p', '100p'],
    [1, '£1.00', '£1.00', '£1.00'],
    [1.005, '£1.01', '£1.01', '£1.00'],
    [1234.5, '£1,234.50', '£1,234.50', '£1,234.50'],
  ])('%d is %s as a sum, %s as a price and %s on a bill', (amount, total, price, bill) => {
    expect(pounds.total(amount)).toBe(total);
    expect(pounds.price(amount)).toBe(price);
    expect(pounds.bill(amount)).toBe(bill);
  });

  it('have a sign in headings, and a name', () => {
    expect(pounds).toMatchObject({ currency: 'GBP', unit: 'pounds' });
    expect(pounds.heading('Cost')).toBe('Cost, £');
    expect(pounds.plain(0.0227)).toBe('0.0227');
    expect(pounds.plain(pounds.maxPrice)).toBe('1,000');
  });

  it.each([
    ['0.0227', 0.0227],
    ['£ 1', 1],
    ['1000', 1_000],
    ['0,0227', undefined],
    ['1000.01', undefined],
    ['€1', undefined],
    ['', undefined],
  ])('reads %s as %s', (text, amount) => expect(pounds.read(text)).toBe(amount));
});

describe('the format of a locale', () => {
  it.each([
    ['nl-NL', 'EUR', '€ 1.204,20', '€ 0,0227'],
    ['de-DE', 'EUR', '1.204,20 €', '0,0227 €'],
    ['en-IE', 'EUR', '€1,204.20', '€0.0227'],
    ['en-US', 'USD', '$1,204.20', '$0.0227'],
    ['ja-JP', 'JPY', '¥1,204', '¥0.0227'],
  ])('%s writes %s', (locale, currency, total, price) => {
    const money = moneyOf(locale, currency);
    expect(spaced(money.total(1204.2)).replace('￥', '¥')).toBe(total);
    expect(spaced(money.price(0.0227)).replace('￥', '¥')).toBe(price);
    expect(money.bill(0.0227)).toBe(money.price(0.0227));
  });

  it.each([
    ['nl-NL', 'EUR', 'euros', '0,0227'],
    ['en-US', 'USD', 'US dollars', '0.0227'],
    ['ar-KW', 'KWD', 'Kuwaiti dinars', '0.0227'],
  ])('of %s has the code in headings, and %s are %s', (locale, currency, unit, example) => {
    const money = moneyOf(locale, currency);
    expect(money).toMatchObject({ currency, unit });
    expect(money.heading('Cost')).toBe(`Cost, ${currency}`);
    expect(money.plain(0.0227)).toBe(example);
  });

  it.each([
    ['0,0227', 0.0227],
    ['0.0227', 0.0227],
    ['0.227', 0.227],
    ['€ 0,91', 0.91],
    ['0,91 €', 0.91],
    ['EUR 2', 2],
    ['1,250', 1.25],
    ['100000', 100_000],
    ['100001', undefined],
    ['1.250', undefined],
    ['1.250,5', undefined],
    ['0,0.227', undefined],
    ['£1', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['', undefined],
  ])('of nl-NL reads %s as %s', (text, amount) => expect(moneyOf('nl-NL', 'EUR').read(text)).toBe(amount));

  it('refuses thousands as the locale separates them, and nothing else', () => {
    expect(moneyOf('en-IE', 'EUR').read('1,250')).toBeUndefined();
    expect(moneyOf('en-IE', 'EUR').read('1.250')).toBe(1.25);
    expect(moneyOf('fr-FR', 'EUR').read('1.250')).toBe(1.25);
  });
});
