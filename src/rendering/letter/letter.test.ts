import { describe, expect, it } from 'vitest';
import type { Personalisation } from '../personalisation.ts';
import { compileTemplate, type TemplateSource } from '../template.ts';
import { letterDate } from './letter.ts';
import type { LetterBlock, LetterInline } from './model.ts';

const letterDay = '2026-03-04';
const addressFields = ['Jo Bloggs', '1 Penny Lane', 'L18 1DE'];

const letter = (content: string, more: Partial<TemplateSource> = {}) =>
  compileTemplate({ subject: 'Subject', ...more, template_type: 'letter', content });

const blocks = (content: string, values: Personalisation = {}): LetterBlock[] =>
  letter(content)
    .document(values, { address: addressFields, day: letterDay })
    .parts.flatMap((part) => part.blocks);

const text = (value: string): LetterInline => ({ kind: 'text', text: value });
const paragraph = (...inlines: LetterInline[]): LetterBlock => ({ kind: 'paragraph', inlines });
const lineBreakInline: LetterInline = { kind: 'line-break' };

describe('the message', () => {
  it.each<[string, LetterBlock[]]>([
    ['a\nb\n\nc', [paragraph(text('a'), lineBreakInline, text('b')), paragraph(text('c'))]],
    ['# a', [{ kind: 'heading', inlines: [text('a')] }]],
    ['## a', [paragraph(text('a'))]],
    ['^ a\n\nb', [paragraph(text('a')), paragraph(text('b'))]],
    ['a\n\n---\n\nb', [paragraph(text('a')), { kind: 'page-break' }, paragraph(text('b'))]],
    ['[t](u)', [paragraph(text('[t](u)'))]],
    ['See https://x.example/a-b.', [paragraph(text('See '), { kind: 'bold', text: 'x.example/a\u2011b' }, text('.'))]],
    ['![a](b)', []],
    ['a | b\n---|---\n1 | 2', []],
    ['GOV.UK', [paragraph(text('GOV.UK'))]],
    [`it's "so" - yes, AB-1 ,`, [paragraph(text('it’s “so” – yes, AB\u20111,'))]],
    ['&pound;5 &lt;b&gt; <i>', [paragraph(text('£5 <b> <i>'))]],
    ['```\na\nb\n```', [paragraph(text('a'), lineBreakInline, text('b'))]],
    ['bell\u0007', [paragraph(text('bell '))]],
    ['\n\n\na', [paragraph(text('a'))]],
  ])('%j', (content, expected) => {
    expect(blocks(content)).toEqual(expected);
  });

  it('keeps lists and lists in lists', () => {
    expect(blocks('1. a\n2. b\n   * c\n\n     d\n\n((more))', { more: ['e'] })).toEqual([
      {
        kind: 'list',
        ordered: true,
        items: [
          { inlines: [text('a')], blocks: [] },
          {
            inlines: [text('b')],
            blocks: [
              {
                kind: 'list',
                ordered: false,
                items: [{ inlines: [text('c')], blocks: [paragraph(text('d'))] }],
              },
            ],
          },
        ],
      },
      { kind: 'list', ordered: false, items: [{ inlines: [text('e')], blocks: [] }] },
    ]);
  });

  it('highlights missing values', () => {
    expect(blocks('Dear ((name)), ((a??yes)) https://x.example/((ref))')).toEqual([
      paragraph(
        text('Dear '),
        { kind: 'placeholder', style: 'plain', text: '((name))' },
        text(', '),
        { kind: 'placeholder', style: 'conditional', text: '((a??' },
        text('yes)) '),
        { kind: 'bold', text: 'x.example/((ref))' },
      ),
    ]);
    const [part] = letter('((a??yes))').document({}, { address: addressFields, day: letterDay, redact: true }).parts;
    expect(part?.blocks).toEqual([paragraph({ kind: 'placeholder', style: 'redacted', text: 'hidden' })]);
  });
});

describe('QR codes', () => {
  it.each<[string, Personalisation, LetterBlock]>([
    ['QR: https://x.example/a-b?c=d&e', {}, { kind: 'qr-code', data: 'https://x.example/a-b?c=d&e', unfilled: false }],
    ['  qr :text  ', {}, { kind: 'qr-code', data: 'text', unfilled: false }],
    ['^ QR: ((ref))', { ref: 'x' }, { kind: 'qr-code', data: 'x', unfilled: false }],
    ['QR: a ((ref))', {}, { kind: 'qr-code', data: 'a ((ref))', unfilled: true }],
  ])('%j', (content, values, expected) => {
    expect(blocks(content, values)).toEqual([expected]);
  });

  it.each(['QR code', 'QR:', 'See QR: x', 'QR: x\nmore', '# QR: x'])('%j is not a QR code', (content) => {
    expect(blocks(content)).not.toContainEqual(expect.objectContaining({ kind: 'qr-code' }));
  });

  it('over 500 characters are reported, with and without values, in both languages', () => {
    const data = '🚀'.repeat(500);
    expect(letter(`QR: ${data}`).longQrCodes({})).toEqual([]);
    expect(letter(`a\n\nQR: ${data}x`).longQrCodes({})).toEqual([`${data}x`]);
    expect(letter('QR: ((x))').longQrCodes({})).toEqual([]);
    expect(letter('QR: ((x))').longQrCodes({ x: `${data}x` })).toEqual([`${data}x`]);
    const welsh = { letter_welsh_subject: 'Pwnc', letter_welsh_content: `QR: ${data}x` };
    expect(letter('a', welsh).longQrCodes({})).toEqual([`${data}x`]);
  });
});

describe('the letter', () => {
  it('has subject, contact block, address and date', () => {
    const template = letter('a', {
      subject: ' About  ((thing)) ,\n"it"',
      contact_block: '  The Surgery ,  \n\n((phone))',
    });
    expect(template.document({ thing: 'x & y' }, { address: addressFields, day: letterDay })).toEqual({
      parts: [
        {
          language: 'english',
          address: addressFields.map((line) => [text(line)]),
          contact_block: [[text('The Surgery,')], [], [{ kind: 'placeholder', style: 'plain', text: '((phone))' }]],
          date: '4 March 2026',
          subject: [text('About x & y, “it”')],
          blocks: [paragraph(text('a'))],
        },
      ],
    });
  });

  it('is Welsh first, then English', () => {
    const template = letter('English', { letter_welsh_subject: 'Pwnc', letter_welsh_content: 'Cymraeg' });
    const { parts } = template.document({}, { address: addressFields, day: letterDay });
    expect(parts.map(({ language, date, subject, blocks }) => ({ language, date, subject, blocks }))).toEqual([
      { language: 'welsh', date: '4 Mawrth 2026', subject: [text('Pwnc')], blocks: [paragraph(text('Cymraeg'))] },
      { language: 'english', date: '4 March 2026', subject: [text('Subject')], blocks: [paragraph(text('English'))] },
    ]);
  });

  it('shows placeholders for a missing address', () => {
    const values = { 'Address line 1': ' Jo  Bloggs ', address_line_2: null, postcode: 'L18 1DE' };
    const [part] = letter('a').document(values, { day: letterDay }).parts;
    const slot = (number: number) => [{ kind: 'placeholder', style: 'no-brackets', text: `address line ${number}` }];
    expect(part?.address).toEqual([
      [text('Jo Bloggs')],
      slot(2),
      slot(3),
      slot(4),
      slot(5),
      slot(6),
      [text('L18 1DE')],
    ]);
  });

  it('has an escaped subject and the text as body where it is shown', () => {
    const template = letter(' # ((a))\n', { subject: '<((a))> - "x"' });
    expect(template.subject({ a: '&' })).toBe('&lt;&amp;&gt; – “x”');
    expect(template.body({ a: '&' })).toBe('# &');
  });
});

describe('letterDate', () => {
  it.each<[string, string, string]>([
    ['2026-01-01', '1 January 2026', '1 Ionawr 2026'],
    ['2026-07-01', '1 July 2026', '1 Gorffennaf 2026'],
    ['2026-12-31', '31 December 2026', '31 Rhagfyr 2026'],
  ])('%s', (day, english, welsh) => {
    expect(letterDate(day, 'english')).toBe(english);
    expect(letterDate(day, 'welsh')).toBe(welsh);
  });
});
