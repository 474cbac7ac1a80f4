import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inEnglish } from '../language/text.ts';
import { conditionsIn, isSwitchedOn, isUnclear, type Personalisation } from './personalisation.ts';
import {
  compileText,
  describeMissing,
  fillText,
  highlightPlaceholder,
  highlightRedacted,
  htmlSlots,
  keepPlaceholder,
  missingNames,
  redactPlaceholder,
  textSlots,
  type Unfilled,
} from './placeholders.ts';
import { compileTemplate } from './template.ts';

const names = (content: string) => compileText(content, textSlots()).slots.names;

const fill = (content: string, values: Personalisation, unfilled: Unfilled = keepPlaceholder) =>
  fillText(compileText(content, textSlots()), values, { lists: 'inline', unfilled });

const fillHtml = (content: string, values: Personalisation, unfilled: Unfilled = highlightPlaceholder) =>
  fillText(compileText(content, htmlSlots()), values, { lists: 'inline', unfilled });

describe('names of placeholders', () => {
  it.each<[string, string[]]>([
    ['no placeholder', []],
    ['((one)) and ((two))', ['one', 'two']],
    ['((First name)) ((first_name)) ((FIRST-NAME))', ['First name']],
    ['(( padded ))', [' padded ']],
    ['((urgent??Come today))', ['urgent']],
    ['((urgent??a??b)) ((maybe?))', ['urgent', 'maybe?']],
    ['(()) (( ((', []],
    ['((a(b)c))', []],
    ['(((x)))', ['x']],
    ['((outer??before ((inner)) after))', ['inner']],
    ['((over\ntwo lines))', ['over\ntwo lines']],
    ['((tab\tin)) ((tabin))', ['tab\tin', 'tabin']],
  ])('%j has %j', (content, expected) => {
    expect(names(content)).toEqual(expected);
  });

  it('are shared by texts with the same slots, in order of compilation', () => {
    const slots = textSlots();
    compileText('((b)) ((a))', slots);
    compileText('((A)) ((c))', slots);
    expect(slots.names).toEqual(['b', 'a', 'c']);
  });
});

describe('filling', () => {
  it.each<[string, Personalisation, string]>([
    ['Dear ((name)),', { name: 'Jo' }, 'Dear Jo,'],
    ['((first name))', { First_Name: 'Jo' }, 'Jo'],
    ['((a))', { A: 'first', a: 'last' }, 'last'],
    ['((a))', { a: '((b))', b: 'never' }, '((b))'],
    ['((a))((b))', { a: 1, b: 2.5 }, '12.5'],
    ['((a)) ((b))', { a: true, b: false }, 'true false'],
    ['((a))', { a: { file: 'x' } }, '{"file":"x"}'],
    ['((a))', { a: '' }, ''],
    ['((a))', { a: null }, '((a))'],
    ['((a??yes?? really))', { a: 'Show' }, 'yes?? really'],
    ['[((a??text))]', { a: 'no' }, '[]'],
    ['((a??text)) ((a))', { a: 'y' }, 'text y'],
    ['((list))', { list: ['a', ' b ', '', null, '\u200B', 3] }, 'a, b and 3'],
    ['((list))', { list: ['alone'] }, 'alone'],
    ['((list))', { list: [] }, ''],
    ['((constructor)) ((__proto__))', {}, '((constructor)) ((__proto__))'],
  ])('%j with %j', (content, values, expected) => {
    expect(fill(content, values)).toBe(expected);
  });

  it('renders a list as a Markdown list in that style', () => {
    const compiled = compileText('Bring: ((things))', textSlots());
    expect(fillText(compiled, { things: ['a', 'b'] }, { lists: 'markdown', unfilled: keepPlaceholder })).toBe(
      'Bring: \n\n* a\n* b',
    );
  });

  it('escapes template, values and names for HTML', () => {
    expect(fillHtml('<b>((a))</b> &pound; &nbsp;', { a: '<i> & "x"' })).toBe(
      '&lt;b&gt;&lt;i&gt; &amp; "x"&lt;/b&gt; £ &nbsp;',
    );
    expect(fillHtml('((>a)) ((&gt;b))', { '>a': 1, '>b': 2 })).toBe('1 2');
  });

  it('can be repeated', () => {
    const compiled = compileText('((a))-((b))', textSlots());
    const filling = { lists: 'inline', unfilled: keepPlaceholder } as const;
    expect(fillText(compiled, { a: 1, b: 2 }, filling)).toBe('1-2');
    expect(fillText(compiled, { B: 4, c: 5 }, filling)).toBe('((a))-4');
    expect(fillText(compiled, null, filling)).toBe('((a))-((b))');
  });
});

describe('placeholders without a value', () => {
  it.each<[string, Unfilled, string]>([
    ['((a))', highlightPlaceholder, "<span class='placeholder'>&#40;&#40;a&#41;&#41;</span>"],
    ['((a??b))', highlightPlaceholder, "<span class='placeholder-conditional'>&#40;&#40;a??</span>b&#41;&#41;"],
    ['((<a>))', highlightPlaceholder, "<span class='placeholder'>&#40;&#40;&lt;a&gt;&#41;&#41;</span>"],
    ['((a??b))', highlightRedacted, "<span class='placeholder-redacted'>hidden</span>"],
    ['((a??b))', redactPlaceholder, '[hidden]'],
    ['((a??b??c))', keepPlaceholder, '((a??b??c))'],
  ])('%j', (content, unfilled, expected) => {
    expect(fillHtml(content, {}, unfilled)).toBe(expected);
  });

  it('are listed in order and in the spelling of the template', () => {
    const { slots } = compileText('((One)) ((two)) ((three)) ((four))', textSlots());
    const missing = missingNames(slots, { TWO: '', four: null, five: 'x' });
    expect(missing).toEqual(['One', 'three', 'four']);
    expect(inEnglish(describeMissing(missing))).toBe('Missing personalisation: One, three, four');
  });
});

describe('conditions', () => {
  it.each(['yes', 'Y', 'TRUE', 't', '1', 'Include', 'show', true, 1])('%j is on', (value) => {
    expect(isSwitchedOn(value)).toBe(true);
  });

  it.each([' yes', 'no', '', 'on', 'oui', false, 0, 2, 1.5, ['yes'], { yes: true }])('%j is off', (value) => {
    expect(isSwitchedOn(value)).toBe(false);
  });

  const french = { yes: ['Oui'], no: ['non'] };

  it.each([
    ['OUI', true, false],
    ['yes', true, false],
    ['NON', false, false],
    ['', false, false],
    [0, false, false],
    [false, false, false],
    ['peut-être', false, true],
    [' oui', false, true],
    [2, false, true],
    [['oui'], false, true],
  ])('with words of another language, %j is on: %s, unclear: %s', (value, isOn, unclear) => {
    const conditions = conditionsIn('govuk', french);
    expect([isSwitchedOn(value, conditions), isUnclear(value, conditions)]).toEqual([isOn, unclear]);
  });

  it('only placeholders that are never printed are conditions', () => {
    const template = compileTemplate({
      template_type: 'sms',
      content: '((late??Late)) ((vip??VIP)) ((vip)) ((day))',
      condition_words: french,
    });
    expect(template.conditions).toEqual(['late']);
    expect(template.unclear({ late: 'jein', vip: 'jein', day: 'jein' })).toEqual(['late']);
    expect(template.unclear({ late: null })).toEqual([]);
    expect(template.render({ late: 'OUI', vip: 'x', day: 'y' }).text).toBe('Late x y');
  });
});

describe('properties', () => {
  it('text without brackets is unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const withoutBrackets = text.replace(/[()]/g, '');
        expect(fill(withoutBrackets, { a: 1 })).toBe(withoutBrackets);
      }),
    );
  });

  it('keeping every placeholder returns the original text', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('((', '))', '((a))', '((a??b))', '(', ')', '??'));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(fill(pieces.join(''), {})).toBe(pieces.join(''));
      }),
    );
  });

  it('case, spaces, hyphens and underscores of a key are ignored', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,8}$/), fc.array(fc.constantFrom(' ', '_', '-', '')), (key, gaps) => {
        const spelling = [...key].map((letter, index) => letter.toUpperCase() + (gaps[index] ?? '')).join('');
        expect(fill(`((${spelling}))`, { [key]: 'found' })).toBe('found');
      }),
    );
  });
});
