import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gb } from '../countries/gb.ts';
import { PhoneRules } from '../countries/phone-rules.ts';
import {
  checkPhonePermissions,
  formatSmsSender,
  normaliseOwnNumber,
  type PhoneNumber,
  type PhoneNumberReason,
  parsePhoneNumber,
  parseWithLibrary,
} from './phone-number.ts';

const phone = new PhoneRules(gb.phone);

function parsed(input: string): PhoneNumber {
  const result = parsePhoneNumber(phone, input);
  if (!result.ok) throw new Error(`${JSON.stringify(input)} was refused: ${result.reason}`);
  return result.number;
}

describe('parsePhoneNumber', () => {
  it.each([
    ['07912 345678', '447912345678'],
    ['7912345678', '447912345678'],
    ['447912345678', '447912345678'],
    ['+44 7912 345 678', '447912345678'],
    ['0044 7912 345678', '447912345678'],
    ['+44 (0)7912 345678', '447912345678'],
    ['(07912)-345-678', '447912345678'],
    ['\u200B 07912\u00A0345\t678\uFEFF\r\n', '447912345678'],
    // Nearly right, accepted at the second attempt.
    ['+07912345678', '447912345678'],
    ['0+447912345678', '447912345678'],
    ['0+44(0)7912345678', '447912345678'],
    ['0000007912345678', '447912345678'],
    ['+4407912345678', '447912345678'],
    ['07912–345—678', '447912345678'],
    ['07912‑345−678', '447912345678'],
    // Reserved for drama.
    ['07700 900123', '447700900123'],
    ['+447700900999', '447700900999'],
    // International, with and without a prefix.
    ['+33 6 12 34 56 78', '33612345678'],
    ['0033612345678', '33612345678'],
    ['33612345678', '33612345678'],
    ['+1 (202) 555-0187', '12025550187'],
    ['12025550187', '12025550187'],
    ['+353 85 012 3456', '353850123456'],
    // Landlines, including a nine-digit one.
    ['020 7946 0123', '442079460123'],
    ['016977 3999', '44169773999'],
  ])('parses %j as %s', (input, normalised) => {
    expect(parsed(input).normalised).toBe(normalised);
  });

  it.each<[string, PhoneNumberReason]>([
    ['', 'too_short'],
    [' \t\u200B', 'too_short'],
    ['+', 'too_short'],
    ['0', 'too_short'],
    ['12345', 'too_short'],
    ['079123456789012', 'too_long'],
    ['+44 7912 345 678 901', 'too_long'],
    ['0791234567', 'invalid_number'],
    ['07700 90012', 'invalid_number'],
    ['0612 345 6789', 'invalid_number'],
    ['0909 879 0123', 'invalid_number'],
    ['0800 123 4567', 'invalid_number'],
    ['07640 123456', 'invalid_number'],
    ['1'.repeat(300), 'invalid_number'],
    ['1'.repeat(3_000), 'too_long'],
    ['07912 34567O', 'unknown_character'],
    ['07912.345.678', 'unknown_character'],
    ['someone@example.com', 'unknown_character'],
    ['٠٧٩١٢٣٤٥٦٧٨', 'unknown_character'],
    ['０７９１２３４５６７８', 'unknown_character'],
    ['+290 22158', 'unsupported_country_code'],
    ['+850 192 123 4567', 'unsupported_country_code'],
  ])('rejects %j: %s', (input, reason) => {
    expect(parsePhoneNumber(phone, input)).toMatchObject({ ok: false, reason });
  });

  it.each<[string, Partial<PhoneNumber>]>([
    ['07912345678', { countryPrefix: '44', international: false, abroad: false, multiplier: 1 }],
    ['07912345678', { landline: false, receiptsHonoured: true, numericSenderOnly: false }],
    ['07700900123', { countryPrefix: '44', international: false, abroad: false, multiplier: 1 }],
    ['07797 712345', { countryPrefix: '44', international: true, abroad: false, multiplier: 2 }],
    ['07781 123456', { countryPrefix: '44', international: true, abroad: false, multiplier: 2 }],
    ['07624 212345', { countryPrefix: '44', international: true, abroad: false, receiptsHonoured: true }],
    ['01534 456789', { international: true, abroad: false, landline: true }],
    ['020 7946 0123', { international: false, landline: true, multiplier: 1 }],
    ['0306 999 0123', { international: false, landline: true }],
    ['+49 1512 3456789', { countryPrefix: '49', international: true, abroad: true, multiplier: 5 }],
    ['+1 202 555 0187', { countryPrefix: '1', multiplier: 1, receiptsHonoured: false, numericSenderOnly: true }],
    ['+1 876 210 1234', { countryPrefix: '1876', multiplier: 7, receiptsHonoured: true, numericSenderOnly: false }],
    ['+7 912 345 67 89', { countryPrefix: '7', multiplier: 10, receiptsHonoured: true }],
  ])('describes %j: %j', (input, expected) => {
    expect(parsed(input)).toMatchObject(expected);
  });

  it('is idempotent', () => {
    const written = fc.constantFrom('07912345678', '+33612345678', '+18762101234', '02079460123', '07797712345');
    fc.assert(
      fc.property(written, (input) => {
        expect(parsed(`+${parsed(input).normalised}`)).toEqual(parsed(input));
      }),
    );
  });
});

describe('the fast path for UK mobiles', () => {
  // Compared twice, because the first call for a range caches it.
  function expectAgreement(text: string): void {
    const slow = parseWithLibrary(phone, text);
    expect(parsePhoneNumber(phone, text), text).toEqual(slow);
    expect(parsePhoneNumber(phone, text), text).toEqual(slow);
  }

  it('agrees with the library on every range of five digits', () => {
    const endings = fc.sample(fc.integer({ min: 0, max: 99_999 }), 10_000);
    endings.forEach((ending, range) => {
      const national = `7${String(range).padStart(4, '0')}${String(ending).padStart(5, '0')}`;
      const fast = parsePhoneNumber(phone, `0${national}`);
      const learned = `07${String(range).padStart(4, '0')}${String(99_999 - ending).padStart(5, '0')}`;
      if (fast.ok) expect(parsePhoneNumber(phone, learned), learned).toEqual(parseWithLibrary(phone, learned));
    });
  }, 60_000);

  it('agrees with the library on any formatting', () => {
    const punctuation = fc.array(fc.constantFrom('(', ')', '-'), { maxLength: 2 }).map((marks) => marks.join(''));
    const dressed = fc
      .tuple(
        fc.constantFrom('', '0', '44', '440', '+44', '+440', '0044', '00440', '+', '+0', '00', '4', '+44+44'),
        fc.stringMatching(/^7[0-9]{8,10}$/),
        fc.array(punctuation, { minLength: 16, maxLength: 16 }),
      )
      .map(([prefix, digits, marks]) =>
        [...(prefix + digits)].map((character, index) => (marks[index] ?? '') + character).join(''),
      );
    fc.assert(fc.property(dressed, expectAgreement), { numRuns: 1_000 });
  });
});

describe('checkPhonePermissions', () => {
  const nothing = { international: false, landline: false };

  it.each([
    ['07912345678', undefined],
    ['07700900123', undefined],
    ['07797712345', undefined],
    ['+33612345678', 'international_not_allowed'],
    ['02079460123', 'landline_not_allowed'],
    ['01534456789', 'landline_not_allowed'],
  ])('%s without any permission: %s', (input, reason) => {
    expect(checkPhonePermissions(parsed(input), nothing)).toBe(reason);
  });

  it('allows international numbers and landlines with separate permissions', () => {
    expect(checkPhonePermissions(parsed('+33612345678'), { ...nothing, international: true })).toBeUndefined();
    expect(checkPhonePermissions(parsed('+33612345678'), { ...nothing, landline: true })).toBeDefined();
    expect(checkPhonePermissions(parsed('02079460123'), { ...nothing, landline: true })).toBeUndefined();
    expect(checkPhonePermissions(parsed('02079460123'), { ...nothing, international: true })).toBeDefined();
  });
});

describe('formatSmsSender', () => {
  it.each([
    ['07123123123', '447123123123'],
    ['+44 7123 123 123', '447123123123'],
    ['Pennypost', 'Pennypost'],
    ['123456', '123456'],
    ['1', '1'],
    ['', ''],
  ])('%j becomes %j', (sender, formatted) => {
    expect(formatSmsSender(phone, sender)).toBe(formatted);
  });
});

describe('normaliseOwnNumber', () => {
  it.each([
    ['447700900777', ['447700900777', '+447700900777', '07700900777', '07700 900777', '00447700900777', '7700900777']],
    ['12025550187', ['12025550187', '+1 202-555-0187', '0012025550187']],
    // Mobile numbers of a country to which nothing can be sent, and of the UK that no recipient can have.
    ['8501921234567', ['8501921234567', '+8501921234567', '008501921234567']],
    ['447640123456', ['447640123456', '+447640123456', '07640 123456']],
    ['60777', ['60777', '+60777', '60 777']],
    ['999', ['999']],
  ])('%s, however it is written', (normalised, written) => {
    expect([...new Set(written.map((each) => normaliseOwnNumber(phone, each)))]).toEqual([normalised]);
  });
});
