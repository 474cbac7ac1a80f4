import { describe, expect, it } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { cut, loadPriceList } from './rates.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

async function pricesOn(day: string) {
  const priceList = await loadPriceList(harness.app.country.calendar, harness.app.db);
  const [period] = priceList.periods({ first_day: day, last_day: day });
  return {
    sms: Number(period?.smsRate),
    letter: (postage: string, sheets: number) =>
      Number(period?.letterRates.find((rate) => rate.postage === postage && rate.sheets === sheets)?.rate),
  };
}

describe('prices of a day', () => {
  it.each([
    ['2016-04-01', 0.0165],
    ['2016-05-18', 0.0165],
    ['2017-03-31', 0.0165],
    ['2017-04-01', 0.0158],
    ['2021-03-31', 0.0158],
    ['2021-04-01', 0.016],
    ['2022-04-01', 0.0161],
    ['2022-04-30', 0.0161],
    ['2022-05-01', 0.0172],
    ['2023-04-01', 0.0197],
    ['2024-04-01', 0.0227],
    ['2025-04-01', 0.0233],
    ['2026-03-31', 0.0233],
    ['2026-04-01', 0.024],
    ['2026-11-15', 0.024],
  ])('text messages on %s: %d', async (day, rate) => expect((await pricesOn(day)).sms).toBe(rate));

  it.each([
    ['second', 1, '2016-04-01', 0.3],
    ['second', 5, '2017-01-01', 0.42],
    ['second', 2, '2018-09-30', 0.33],
    ['second', 2, '2018-10-01', 0.35],
    ['second', 1, '2026-01-04', 0.68],
    ['second', 1, '2026-01-05', 0.73],
    ['first', 1, '2026-04-06', 1.49],
    ['first', 1, '2026-04-07', 1.56],
    ['economy', 1, '2026-06-30', 0.64],
    ['economy', 1, '2026-07-01', 0.638],
    // The rate began at 01:00, so the previous one applies until the next midnight.
    ['europe', 3, '2020-07-01', 1.0],
    ['rest-of-world', 5, '2026-05-02', 1.9],
    ['rest-of-world', 5, '2026-05-03', 1.96],
    ['europe', 5, '2026-05-03', 1.96],
  ])('%s class, %i sheets on %s: %d', async (postage, sheets, day, rate) =>
    expect((await pricesOn(day)).letter(postage, sheets)).toBe(rate),
  );
});

describe('cut', () => {
  it.each([
    [[], ['2026-04-01 2026-04-30']],
    [['2026-04-01', '2026-05-01'], ['2026-04-01 2026-04-30']],
    [
      ['2026-04-30', '2026-04-02', '2026-04-30'],
      ['2026-04-01 2026-04-01', '2026-04-02 2026-04-29', '2026-04-30 2026-04-30'],
    ],
  ])('April before %j', (before, expected) => {
    const pieces = cut({ first_day: '2026-04-01', last_day: '2026-04-30' }, before);
    expect(pieces.map(({ first_day, last_day }) => `${first_day} ${last_day}`)).toEqual(expected);
  });
});

describe('GET /sms-rate', () => {
  it('200 returns the current rate', async () => {
    const response = await harness.admin('GET', '/sms-rate');
    expect(response).toMatchObject({ status: 200, body: { rate: 0.024, valid_from: '2026-03-31T23:00:00' } });
    expect((await harness.admin('GET', '/sms-rate/')).status).toBe(200);
  });
});

describe('POST /sms-rate', () => {
  it('201 applies from its start date on', async () => {
    const added = await harness.admin('POST', '/sms-rate', { rate: 0.0251, valid_from: '2027-04-01' });
    expect(added).toMatchObject({ status: 201, body: { rate: 0.0251, valid_from: '2027-03-31T23:00:00' } });
    expect((await harness.admin('GET', '/sms-rate')).body.rate).toBe(0.024);
    expect((await pricesOn('2027-03-31')).sms).toBe(0.024);
    expect((await pricesOn('2027-04-01')).sms).toBe(0.0251);
  });

  it('applies from the next day if it starts in mid-day; the later of two on the same day wins', async () => {
    await harness.admin('POST', '/sms-rate', { rate: 0.03, valid_from: '2028-01-10T08:00:00Z' });
    await harness.admin('POST', '/sms-rate', { rate: 0.04, valid_from: '2028-01-10T09:00:00+00:00' });
    expect((await pricesOn('2028-01-10')).sms).toBe(0.0251);
    expect((await pricesOn('2028-01-11')).sms).toBe(0.04);
  });

  it('400 when a rate with the same start exists', async () => {
    const response = await harness.admin('POST', '/sms-rate', { rate: 1, valid_from: '2026-03-31T23:00:00Z' });
    expect(response).toMatchObject({
      status: 400,
      body: {
        result: 'error',
        message: { valid_from: ['Enter another date. There is already a rate from this one.'] },
      },
    });
  });

  it.each([
    [{}, { rate: ['Missing data for required field.'], valid_from: ['Missing data for required field.'] }],
    [{ rate: -1, valid_from: '2030-01-01' }, { rate: ['Must be greater than or equal to 0.'] }],
    [{ rate: '0.1', valid_from: '2030-01-01' }, { rate: ['Not a valid number.'] }],
    [{ rate: 0.1, valid_from: 'soon' }, { valid_from: ['Not a valid datetime.'] }],
    [{ rate: 0.1, valid_from: '2030-02-30' }, { valid_from: ['Not a valid datetime.'] }],
    [{ rate: 0.1, valid_from: '2030-02-30T10:00' }, { valid_from: ['Not a valid datetime.'] }],
  ])('400 %j', async (body, message) => {
    expect(await harness.admin('POST', '/sms-rate', body)).toMatchObject({
      status: 400,
      body: { result: 'error', message },
    });
  });
});

describe('GET /letter-rates', () => {
  it('200 lists current rates by sheets, price and class', async () => {
    const { status, body } = await harness.admin('GET', '/letter-rates');
    expect(status).toBe(200);
    expect(body.length).toBe(25);
    expect(body.slice(0, 6)).toEqual([
      { post_class: 'economy', sheet_count: 1, rate: '0.638', start_date: '2026-06-30T23:00:00' },
      { post_class: 'second', sheet_count: 1, rate: '0.73', start_date: '2026-01-05T00:00:00' },
      { post_class: 'first', sheet_count: 1, rate: '1.56', start_date: '2026-04-06T23:00:00' },
      { post_class: 'europe', sheet_count: 1, rate: '1.80', start_date: '2026-05-02T23:00:00' },
      { post_class: 'rest-of-world', sheet_count: 1, rate: '1.80', start_date: '2026-05-02T23:00:00' },
      { post_class: 'economy', sheet_count: 2, rate: '0.684', start_date: '2026-06-30T23:00:00' },
    ]);
  });
});

describe('POST /letter-rates', () => {
  it('201 applies from its start date on, only to its class and sheet count', async () => {
    const rate = { post_class: 'first', sheet_count: 2, rate: 1.99, start_date: '2026-12-01' };
    expect(await harness.admin('POST', '/letter-rates', rate)).toMatchObject({
      status: 201,
      body: { ...rate, rate: '1.99', start_date: '2026-12-01T00:00:00' },
    });
    expect((await pricesOn('2026-12-01')).letter('first', 2)).toBe(1.99);
    expect((await pricesOn('2026-12-01')).letter('first', 1)).toBe(1.56);
    expect((await pricesOn('2026-11-30')).letter('first', 2)).toBe(1.61);
    expect((await harness.admin('POST', '/letter-rates', rate)).body.message).toEqual({
      start_date: ['Enter another date. There is already a rate from this one.'],
    });
  });

  it('400 for an unknown class or sheet count', async () => {
    const rate = { post_class: 'pigeon', sheet_count: 0, rate: 1, start_date: '2026-12-01' };
    expect((await harness.admin('POST', '/letter-rates', rate)).body.message).toEqual({
      post_class: ['Must be one of: first, second, economy, europe, rest-of-world.'],
      sheet_count: ['Must be greater than or equal to 1.'],
    });
  });
});
