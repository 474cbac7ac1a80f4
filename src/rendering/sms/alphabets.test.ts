import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTemplate } from '../template.ts';
import { smsAlphabet } from './gsm.ts';

const render = (content: string, alphabet: 'gsm' | 'gsm-welsh' | 'keep-letters') =>
  compileTemplate({ template_type: 'sms', content, alphabet }).render();

describe('keep-letters', () => {
  const keep = smsAlphabet('keep-letters');

  it.each([
    ['“Quotes” – dash… and\u00A0space', '"Quotes" - dash... and space', 'gsm7'],
    ['Grüße, façade', 'Grüße, façade', 'ucs2'],
    ['Grüße, señor', 'Grüße, señor', 'gsm7'],
    ['Łódź', 'Łódź', 'ucs2'],
    ['Ça va, œuvre, naïve', 'Ça va, œuvre, naïve', 'ucs2'],
    ['Здравствуйте', 'Здравствуйте', 'ucs2'],
    ['مرحبا', 'مرحبا', 'ucs2'],
    ['Party 🎉', 'Party 🎉', 'ucs2'],
    ['Cafe\u0301', 'Café', 'gsm7'],
    ['zero\u200Bwidth\uFEFF', 'zerowidth', 'gsm7'],
    ['lone \uD83D surrogate', 'lone ? surrogate', 'gsm7'],
    ['€ [x]', '€ [x]', 'gsm7'],
  ])('%j is sent as %j in %s', (content, text, encoding) => {
    expect(render(content, 'keep-letters')).toMatchObject({ text, encoding });
  });

  it.each([
    ['a'.repeat(160), 160, 1],
    [`ç${'a'.repeat(69)}`, 70, 1],
    [`ç${'a'.repeat(70)}`, 71, 2],
    ['я'.repeat(134), 134, 2],
    ['я'.repeat(135), 135, 3],
    ['🎉'.repeat(35), 70, 1],
    // A part has 67 units, so 33 pairs.
    ['🎉'.repeat(36), 72, 2],
    ['🎉'.repeat(66), 132, 2],
    ['🎉'.repeat(67), 134, 3],
    // The pair at 67 and 68 moves to the second part as a whole, the pair at 66 and 67 does not.
    [`${'я'.repeat(66)}🎉${'я'.repeat(65)}`, 133, 2],
    [`${'я'.repeat(66)}🎉${'я'.repeat(66)}`, 134, 3],
    [`${'я'.repeat(65)}🎉${'я'.repeat(67)}`, 134, 2],
  ])('%#', (content, character_count, fragments) => {
    expect(render(content, 'keep-letters')).toMatchObject({ character_count, fragments });
  });

  it('names the characters that cost more', () => {
    expect(keep.notable('Łódź [a]')).toEqual({ double: [], ucs2: ['Ł', 'ó', 'ź'], lost: [] });
    expect(keep.notable('[a]')).toEqual({ double: ['[', ']'], ucs2: [], lost: [] });
    expect(keep.notable('“a” \uD83D')).toEqual({ double: [], ucs2: [], lost: ['\uD83D'] });
  });

  it('is UCS-2 exactly if a character that is sent is not in the alphabet, and is unchanged when sent again', () => {
    const { needsUcs2 } = smsAlphabet('gsm');
    expect(needsUcs2('ŵ')).toBe(false);
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('“', '…', 'ç', 'é', 'e\u0301', '🎉', '€', 'ŵ'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const sent = keep.downgrade(text);
        expect(keep.downgrade(sent)).toBe(sent);
        expect(keep.needsUcs2(text)).toBe(smsAlphabet('gsm').downgrade(sent) !== sent);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('gsm', () => {
  it.each([
    ['Tŷ Hâf', 'Ty Haf', 'gsm7'],
    ['Łódź', 'Lodz', 'gsm7'],
    ['“ç”', '"c"', 'gsm7'],
    ['🎉', '?', 'gsm7'],
  ])('%j is sent as %j in %s', (content, text, encoding) => {
    expect(render(content, 'gsm')).toMatchObject({ text, encoding });
  });
});
