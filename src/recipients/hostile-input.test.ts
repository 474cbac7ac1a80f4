import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTime_ms, quadratic_ms } from '../../test/kit/process/processor-time.ts';
import { gb } from '../countries/gb.ts';
import { PhoneRules } from '../countries/phone-rules.ts';
import { findCountry } from './countries.ts';
import { parseEmailAddress } from './email-address.ts';
import { formatSmsSender, parsePhoneNumber } from './phone-number.ts';
import { checkPostalAddress, parsePostalAddress, parsePostcode } from './postal-address.ts';
import { normaliseRecipient } from './recipient.ts';
import { cleanRecipient } from './whitespace.ts';

const phone = new PhoneRules(gb.phone);

const readers: Record<string, (input: string) => unknown> = {
  parsePhoneNumber: (input) => parsePhoneNumber(phone, input),
  formatSmsSender: (input) => formatSmsSender(phone, input),
  parseEmailAddress,
  parsePostcode,
  findCountry,
  cleanRecipient,
  normaliseRecipient: (input) => normaliseRecipient(phone, input),
  parsePostalAddress: (input) => checkPostalAddress(parsePostalAddress([input]), { international: true }),
};

const length = 500_000;
const pieces = [
  '0',
  '7',
  '+',
  '(',
  '-',
  ' ',
  '\u200B',
  '\u00A0',
  ',',
  ', ',
  ' .',
  'a',
  'a.',
  '-a',
  '@',
  'a@',
  '\n',
  'UK\n',
];
const endings = ['', '!'];

describe.each(Object.keys(readers))('%s', (name) => {
  const read = readers[name] ?? (() => undefined);

  it('never throws', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: loneSurrogates }),
    );
    fc.assert(
      fc.property(text, (input) => void read(input)),
      { numRuns: 300 },
    );
  });

  // Anything quadratic takes minutes on so many characters; the slowest of these takes a sixth of a second.
  it('is fast for half a megabyte of any input', () => {
    for (const piece of pieces) {
      for (const ending of endings) {
        const input = piece.repeat(length / piece.length) + ending;
        expect(
          processorTime_ms(() => read(input)),
          JSON.stringify(piece + ending),
        ).toBeLessThan(quadratic_ms);
      }
    }
  }, 60_000);
});

const loneSurrogates = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
