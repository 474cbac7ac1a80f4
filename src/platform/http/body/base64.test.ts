import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTime_ms, quadratic_ms } from '../../../../test/kit/process/processor-time.ts';
import { decodeBase64 } from './base64.ts';

/** Reference implementation, character by character. */
function decodeByTheBook(text: string): Buffer | undefined {
  let digits = '';
  let padding = 0;
  for (const character of text) {
    if (/[A-Za-z0-9+/]/.test(character)) {
      digits += character;
      padding = 0;
    } else if (character === '=' && digits.length % 4 >= 2) {
      padding += 1;
      if ((digits.length % 4) + padding >= 4) return Buffer.from(digits, 'base64');
    }
  }
  return digits.length % 4 === 0 ? Buffer.from(digits, 'base64') : undefined;
}

describe('base64', () => {
  it('decodes like the reference implementation', () => {
    const text = fc.array(fc.constantFrom('A', 'z', '0', '+', '/', '=', '=', '\n', '!')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (written) => {
        expect(decodeBase64(written, 'lenient')).toEqual(decodeByTheBook(written));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['QUJDé', 'QUJD\u2028'])('undefined for %j, which is not ASCII', (text) => {
    expect(decodeBase64(text, 'lenient')).toBeUndefined();
  });

  it.each([
    ['a line break at the end', `${'QUJD'.repeat(4_700_000)}\n`],
    ['line breaks everywhere', 'QUJ\nD\n'.repeat(3_000_000)],
    ['nothing that belongs', '!'.repeat(19_000_000)],
    ['nothing but padding', '='.repeat(19_000_000)],
  ])('takes linear time: 19 MB with %s', (_what, text) => {
    expect(processorTime_ms(() => decodeBase64(text, 'lenient'))).toBeLessThan(quadratic_ms);
  });

  it.each([
    ['QUI=', 'AB', 'AB', 'AB'],
    ['QUI', undefined, undefined, 'AB'],
    ['QU\nI=\n', 'AB', undefined, 'AB'],
    ['QUJD!', 'ABC', undefined, undefined],
    ['QUJ=', 'AB', 'AB', undefined],
    ['', '', '', ''],
  ])('decodes %j by the rules lenient, plain and canonical', (text, ...expected) => {
    const rules = ['lenient', 'plain', 'canonical'] as const;
    expect(rules.map((rule) => decodeBase64(text, rule)?.toString())).toEqual(expected);
  });
});
