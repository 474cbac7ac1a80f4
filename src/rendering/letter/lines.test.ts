import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breakLines, type Line, type Measure } from './lines.ts';
import type { LetterInline } from './model.ts';

/** Every character is one point wide, bold ones two, so that widths are easy to count. */
const measure: Measure = (text, font) => [...text].length * (font === 'bold' ? 2 : 1);
const style = { size: 10, leading: 12 };

const text = (value: string): LetterInline => ({ kind: 'text', text: value });
const words = (line: Line) =>
  line.runs
    .map((run) => run.text)
    .join('')
    .trimEnd();
const set = (inlines: LetterInline[], width: number) => breakLines(inlines, style, width, measure).map(words);

describe('breakLines', () => {
  it.each<[string, number, string[]]>([
    ['one two three', 20, ['one two three']],
    ['one two three', 9, ['one two', 'three']],
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 6, ['one', 'two', 'three']],
    ['one   two', 4, ['one', 'two']],
    ['well-known', 6, ['well-', 'known']],
    ['well\u2011known', 6, ['well\u2011k', 'nown']],
    ['£84.20\u00a0a\u00a0week now', 13, ['£84.20\u00a0a\u00a0week', 'now']],
    ['incomprehensibilities', 8, ['incompre', 'hensibil', 'ities']],
    ['a incomprehensibilities b', 8, ['a', 'incompre', 'hensibil', 'ities b']],
    ['www.example.gov.uk/benefits/appeal', 28, ['www.example.gov.uk/benefits/', 'appeal']],
    ['first\nsecond', 20, ['first', 'second']],
    ['first\n\nthird', 20, ['first', '', 'third']],
    ['tab\tbed', 20, ['tab bed']],
    ['bell\u0007 and \u0000zero', 20, ['bell and zero']],
    ['', 20, []],
    ['  \u0000', 20, []],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 7, ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']],
  ])('breaks %j at a width of %i', (value, width, lines) => {
    expect(set([text(value)], width)).toEqual(lines);
  });

  it('keeps the line breaks of the author', () => {
    expect(set([text('Alexandra Hopkins'), { kind: 'line-break' }, text('Head of benefits')], 40)).toEqual([
      'Alexandra Hopkins',
      'Head of benefits',
    ]);
  });

  it('measures each run in its own font and does not break between runs inside a word', () => {
    const lines = breakLines([text('pay '), { kind: 'bold', text: '£84' }, text('.20 now')], style, 14, measure);
    expect(lines.map(words)).toEqual(['pay £84.20', 'now']);
    expect(lines[0]?.runs.map(({ font, x, width }) => ({ font, x, width }))).toEqual([
      { font: 'regular', x: 0, width: 4 },
      { font: 'bold', x: 4, width: 6 },
      { font: 'regular', x: 10, width: 3 },
    ]);
  });

  it('keeps the trailing space of a wrapped line, outside of its width', () => {
    const [first, second] = breakLines([text('one two')], style, 4, measure);
    expect(first).toMatchObject({ width: 3, runs: [{ text: 'one ', width: 3 }] });
    expect(second?.runs[0]?.text).toBe('two');
  });

  it('composes accents, so that the font’s own letters are used', () => {
    expect(set([text('gw\u0302r')], 20)).toEqual(['gŵr']);
  });

  it('applies upper case from the style', () => {
    expect(breakLines([text('Ynys Môn')], { ...style, uppercase: true }, 20, measure).map(words)).toEqual(['YNYS MÔN']);
  });

  it('loses no character and exceeds no width, for any text', () => {
    const inline = fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: fc.string({ unit: 'grapheme', maxLength: 60 }) }),
      fc.record({ kind: fc.constant('bold' as const), text: fc.string({ unit: 'grapheme', maxLength: 20 }) }),
      fc.constant({ kind: 'line-break' as const }),
    );
    fc.assert(
      fc.property(fc.array(inline, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }), (inlines, width) => {
        const lines = breakLines(inlines, style, width, measure);
        const bare = (value: string) => value.normalize('NFC').replace(/[\s\p{Cc}\u200b]/gu, '');
        const written = inlines.map((i) => (i.kind === 'line-break' ? '\n' : i.text)).join('');
        if (written.trim() === '') return;
        const set = lines.map((line) => line.runs.map((run) => run.text).join(''));
        expect(bare(set.join(''))).toBe(
          bare(inlines.map((i) => (i.kind === 'line-break' ? '' : i.text.normalize('NFC'))).join('')),
        );
        for (const [index, line] of lines.entries()) {
          const graphemes = [...new Intl.Segmenter().segment((set[index] ?? '').trimEnd())].length;
          if (graphemes > 1) expect(line.width).toBeLessThanOrEqual(width);
        }
      }),
      { numRuns: 300 },
    );
  });
});
