import { describe, expect, it } from 'vitest';
import { gb } from '../../countries/gb.ts';
import { PhoneRules } from '../../countries/phone-rules.ts';
import { formatPhoneNumber } from './phone-number.ts';

const phone = new PhoneRules(gb.phone);

describe('formatPhoneNumber', () => {
  it.each(['07700900123', '447700900123', '+447700900123', '+44 (0)7700 900123', '00447700900123', '07700-900-123'])(
    'writes %s as people read it',
    (written) => {
      expect(formatPhoneNumber(phone, written)).toBe('07700 900123');
    },
  );

  it.each([
    ['33612345678', '+33612345678'],
    ['+33 6 12 34 56 78', '+33 6 12 34 56 78'],
    ['442079460000', '+442079460000'],
    ['60006', '60006'],
    ['PENNYPOST', 'PENNYPOST'],
    ['', ''],
  ])('writes %s as %s', (written, shown) => {
    expect(formatPhoneNumber(phone, written)).toBe(shown);
  });
});
