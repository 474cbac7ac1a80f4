import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileText, textSlots } from '../placeholders.ts';
import { smsAlphabet } from './gsm.ts';
import { isEmpty, isTooLong, previewSms, renderSms, type SmsOptions } from './sms.ts';

const { downgrade, needsUcs2 } = smsAlphabet('gsm-welsh');

const render = (content: string, values?: Record<string, unknown> | null, options?: SmsOptions) =>
  renderSms(compileText(content, textSlots()), values, options);

describe('the text', () => {
  it.each([
    ['  G      D    S  ', 'G D S'],
    ['Hello , world .', 'Hello, world.'],
    ['a\n  , b', 'a\n, b'],
    ['one\r\ntwo\rthree\u2028four\u0085five', 'one\ntwo\nthree\nfour\nfive'],
    ['P1 \n\n\n\n \n P2', 'P1\n\nP2'],
    ['\n\n  start and end \n', 'start and end'],
    ['NBSP\u00A0and\u202Fnarrow\ttab', 'NBSP and narrow tab'],
    ['zero\u200Bwidth\uFEFF', 'zerowidth'],
    ['“quotes” – dash…', '"quotes" - dash...'],
    ['£5 @ €4', '£5 @ €4'],
    ['', ''],
  ])('%j is sent as %j', (content, expected) => {
    expect(render(content).text).toBe(expected);
  });

  it('is not escaped', () => {
    expect(render('<b>((x))</b> &amp;', { x: '<i>' }).text).toBe('<b><i></b> &amp;');
  });

  it('prints lists on one line', () => {
    expect(render('Bring ((things)).', { things: ['a', 'b', 'c'] }).text).toBe('Bring a, b and c.');
  });

  it('keeps the placeholder of a missing value', () => {
    expect(render('((a)) ((b))', { a: 'x' }).text).toBe('x ((b))');
  });

  it.each([
    [{}, 'Hello ((name)), bring ((what))((late?? and hurry)).', 15, true],
    [{ name: 'Ada' }, 'Hello Ada, bring ((what))((late?? and hurry)).', 18, true],
    [{ name: 'Ada', what: 'tea', late: 'yes' }, 'Hello Ada, bring tea and hurry.', 31, false],
  ])('previewed with %j has the placeholders that are left, which count as empty', (values, text, least, isOpen) => {
    const content = compileText('Hello ((name)), bring ((what))((late?? and hurry)).', textSlots());
    expect(previewSms(content, values)).toMatchObject({ text, character_count: least, is_minimum: isOpen });
  });

  it('omits placeholders, but not the spaces around them, without any values', () => {
    expect(render('a    ((x))    b').text).toBe('a  b');
    expect(render('Hi ((name))', {}).text).toBe('Hi ');
    expect(render('((x??text)) ', null).text).toBe('');
  });
});

describe('size and encoding', () => {
  it.each<[string, string, number, number]>([
    ['a'.repeat(160), 'gsm7', 160, 1],
    ['a'.repeat(161), 'gsm7', 161, 2],
    ['a'.repeat(306), 'gsm7', 306, 2],
    ['a'.repeat(307), 'gsm7', 307, 3],
    ['a'.repeat(918), 'gsm7', 918, 6],
    ['€'.repeat(80), 'gsm7', 80, 1],
    ['€'.repeat(81), 'gsm7', 81, 2],
    ['à'.repeat(160), 'gsm7', 160, 1],
    ['ŵ'.repeat(70), 'ucs2', 70, 1],
    ['ŵ'.repeat(71), 'ucs2', 71, 2],
    [`ŵ${'€'.repeat(69)}`, 'ucs2', 70, 1],
    ['ŵ'.repeat(134), 'ucs2', 134, 2],
    ['ŵ'.repeat(135), 'ucs2', 135, 3],
    ['…'.repeat(53), 'gsm7', 159, 1],
    ['🚀'.repeat(160), 'gsm7', 160, 1],
    ['', 'gsm7', 0, 1],
  ])('%#', (content, encoding, character_count, fragments) => {
    expect(render(content)).toMatchObject({ encoding, character_count, fragments });
  });

  it('chooses the encoding before characters are replaced', () => {
    expect(render('ế')).toMatchObject({ text: 'ê', encoding: 'gsm7' });
  });
});

describe('the prefix', () => {
  it('precedes the text and counts towards fragments', () => {
    expect(render('a'.repeat(150), null, { prefix: ' Surgery ' })).toMatchObject({
      text: `Surgery: ${'a'.repeat(150)}`,
      character_count: 159,
      character_count_without_prefix: 150,
      fragments: 1,
    });
    expect(render('a'.repeat(152), null, { prefix: 'Surgery' }).fragments).toBe(2);
  });

  it.each(['', '  ', null])('is omitted when it is %j', (prefix) => {
    expect(render('hello', null, { prefix }).text).toBe('hello');
  });

  it('can make a message UCS-2', () => {
    expect(render('hello', null, { prefix: 'Tŷ' }).encoding).toBe('ucs2');
  });

  it('does not count towards the limit', () => {
    expect(isTooLong(render('a'.repeat(918), null, { prefix: 'Surgery' }))).toBe(false);
    expect(isTooLong(render('a'.repeat(919), null, { prefix: 'Surgery' }))).toBe(true);
  });

  it('does not make an empty message non-empty', () => {
    expect(isEmpty(render('((x))', { x: ' ' }, { prefix: 'Surgery' }))).toBe(true);
    expect(isEmpty(render('x', null, { prefix: 'Surgery' }))).toBe(false);
  });
});

describe('characters', () => {
  it.each([
    ['ŴŵÂâ', 'ŴŵÂâ'],
    ['ç ś Ł ł', 'c s L l'],
    ['ḉ ắ', '? ?'],
    ['½ ™ ﬁ ²', '? ? ? ?'],
    ['\u212B \u212A \u2126', 'Å K Ω'],
    ['≠ ≮', '? ?'],
    ['🏳️‍🌈 漢 Ж ` ° •', '??? ? ? ? ? ?'],
    ['^{}\\[~]|€', '^{}\\[~]|€'],
    ['e\u0301', 'e?'],
    ['lone \uD83D surrogate', 'lone ? surrogate'],
  ])('%s become %s', (text, expected) => {
    expect(downgrade(text)).toBe(expected);
  });

  it.each(['âŵŷáíóúýëïÿ', 'Ò', 'È'].flatMap((letters) => [...letters]))('%s needs UCS-2', (letter) => {
    expect(needsUcs2(letter)).toBe(true);
  });

  it.each([...'àèìòùéäöüÄÖÜÉ£'])('%s does not', (letter) => {
    expect(needsUcs2(letter)).toBe(false);
  });

  it('are unchanged once they have been replaced', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const sendable = downgrade(text);
        expect(downgrade(sendable)).toBe(sendable);
      }),
    );
  });
});

describe('the fast path', () => {
  it('agrees with the full algorithm', () => {
    const piece = fc.constantFrom(' ', '  ', '\n', ',', '.', 'a', 'Z', '£', '^', '\t', '\r\n', '\u00A0', '`', '_', 'é');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const { text: sent, character_count } = render(text, { x: 1 });
        expect(sent).toBe(slowly(text));
        expect(character_count).toBe(sent.length);
      }),
      { numRuns: 2_000 },
    );
  });

  /** Reference implementation of the rules, one after the other. */
  function slowly(text: string): string {
    const lines = text
      .replace(/[ \t]+([,.])/g, '$1')
      .split(/\r\n|[\n\r]/)
      .map((line) => line.replace(/\s+/g, ' ').trim());
    return downgrade(
      lines
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
    );
  }
});
