import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLongRun } from '../../../test/kit/process/process-environment.ts';
import { casesOf } from '../../../test/kit/vectors.ts';
import type { Personalisation } from '../personalisation.ts';
import { compileText, htmlSlots, textSlots } from '../placeholders.ts';
import { compileTemplate, type EmailPageOptions } from '../template.ts';
import { renderHtmlFragment, renderPlainTextPart, renderPreheader, renderSubject } from './email.ts';
import { isAddress, isPhrase, outlineRenderer } from './outlines.ts';
import { type EmailBrand, rememberingEmailHead, renderEmailPage } from './page.ts';

const testBrand: EmailBrand = {
  brand_type: 'org',
  colour: '#00703c',
  logo_url: 'https://x.example/l.png',
  text: 'A & B',
  alt_text: null,
};
const pageOptions = { brand: testBrand, platform: { name: 'Pennypost' } };

interface Source {
  content: string;
  subject: string;
}

function expectTheSame({ content, subject }: Source, values: Personalisation, unsubscribe_link?: string): void {
  const email = compileTemplate({ template_type: 'email', content, subject });
  const options = { ...pageOptions, unsubscribe_link };
  expect(email.message(values, options)).toEqual(renderInFull({ content, subject }, values, options));
}

/** One part after the other. */
function renderInFull({ content, subject }: Source, values: Personalisation, options: EmailPageOptions) {
  const [slots, slotsForHtml] = [textSlots(), htmlSlots()];
  const htmlSubject = compileText(subject, slotsForHtml);
  const htmlContent = compileText(content, slotsForHtml);
  const parts = {
    subject: renderSubject(htmlSubject, values),
    preheader: renderPreheader(htmlContent, values),
    body: renderHtmlFragment(htmlContent, values, options),
  };
  return {
    subject: renderSubject(compileText(subject, slots), values),
    text: renderPlainTextPart(compileText(content, slots), values, options),
    html: renderEmailPage(parts, rememberingEmailHead()(options.brand, options.platform)),
  };
}

/** Whether a message is rendered from an outline rather than in full. */
function hasOutline({ content, subject }: Source, values: Personalisation, unsubscribe_link?: string): boolean {
  const slots = textSlots();
  const slotsForHtml = htmlSlots();
  const render = outlineRenderer(
    { subject: compileText(subject, slots), content: compileText(content, slots) },
    () => ({ subject: compileText(subject, slotsForHtml), content: compileText(content, slotsForHtml) }),
  );
  return render(values, unsubscribe_link) !== undefined;
}

const typicalTemplate =
  "# Your appointment\n\nDear ((name)),\n\nYour appointment is on ((day)) at ((time)) - don't be late.\n\n* Come to ((place))\n" +
  '* Quote ((reference))\n\n((late??You are "late".))\n\n[Change it](https://example.com/a?ref=((reference))) or go to ((link))\n\nGOV.UK';
const typicalValues = {
  name: 'Siân Jones-Ray',
  day: 'Tuesday 4 March',
  time: '10:15',
  place: '1 Penny Lane, Liverpool & Co. Ltd',
  reference: 'PP-2041-77',
  late: 'yes',
  link: 'https://example.com/?a=1&b=%20_#c/',
};
const unsubscribeLink = 'https://example.com/unsubscribe/1/a-b_c=';

describe('an email rendered from its outline', () => {
  const typical = { content: typicalTemplate, subject: "((name))'s appointment - ((day))" };

  it.each<[string, Source, Personalisation, string | undefined]>([
    ['ordinary values', typical, typicalValues, undefined],
    ['a link to unsubscribe', typical, typicalValues, unsubscribeLink],
    ['a condition that is off', typical, { ...typicalValues, late: 'no' }, undefined],
    ['an empty value', typical, { ...typicalValues, place: '' }, undefined],
    ['numbers and booleans', typical, { ...typicalValues, name: true, place: 12.5 }, undefined],
    ['no placeholders', { content: 'a "b" - c', subject: 'd' }, {}, undefined],
  ])('with %s', (_, source, values, link) => {
    expect(hasOutline(source, values, link)).toBe(true);
    expectTheSame(source, values, link);
  });

  it.each<[string, string, Personalisation]>([
    ['a list', '((a))', { a: ['x', 'y'] }],
    ['line breaks', '((a))', { a: 'x\ny' }],
    ['Markdown', 'x ((a))', { a: '[x](y)' }],
    ['the mark of a list', '((a)) x', { a: '10.30am' }],
    ['the mark of a list in an item', '* ((a)) x', { a: '10. x' }],
    ['the number of a list', '((a)). x', { a: '10' }],
    ['a name that mail clients link', 'x ((a))', { a: 'gov.uk' }],
    ['half of such a name', 'gov.((a))', { a: 'uk' }],
    ['a scheme', '((a))://example.com', { a: 'http' }],
    ['a scheme in a link', '[x](((a)):12)', { a: 'tel' }],
    ['an entity', '&((a));', { a: 'pound' }],
    ['an entity across a link', '&[((a));](x)', { a: 'pound' }],
    ['an entity that an address ends', '((a));', { a: 'https://a.example/?x&pound' }],
    ['a quote before a digit', "x'((a)) '((a))'", { a: '80s' }],
    ['a quote before a link', "x'[((a))](y)", { a: '80s' }],
    ['quotes around an amount', '"((a))"', { a: '£5' }],
    ['quotes beside an at sign', "it's((a)) o'-((a))", { a: 'x@y' }],
    ['an at sign and a value with a space', "o'-((a))-@x", { a: 'x y' }],
    ['a tab', '((a))\tx', { a: 'x' }],
    ['the name of a tag', '<((a))>"x"', { a: 'a' }],
    ['a fence with a language', '```((a))\nx\n```', { a: 'x y' }],
    ['spaces in an address', 'https://example.com/((a))', { a: 'x y' }],
    ['a short address', 'https://((a))', { a: 'x' }],
    ['two values in one word', '((a))((b))', { a: 'go', b: 'v.uk' }],
    ['a condition that is printed too', '((a)) ((a??x))', { a: 'yes' }],
    ['a key in entities', 'x ((a))', { a: 'x', '&#97;': 'y' }],
    ['a name in entities', 'x ((a&b))', { 'a&b': 'x', 'a&amp;b': 'y' }],
    ['a value that is missing', '((a))', {}],
    ['text that looks like a sentinel', 'zqx0000xqz ((a))', { a: 'x' }],
    ['text that becomes like a sentinel', 'zq![x](y)x0000xqz ((a))', { a: 'x' }],
    ['a placeholder in entities', '((a)) &#40;&#40;b&#41;&#41;', { a: 'x', b: 'y' }],
    ['half a name and a dot in entities', 'gov&#46;((a))', { a: 'uk' }],
  ])('not with %s', (_, content, values) => {
    expect(hasOutline({ content, subject: '' }, values)).toBe(false);
    expectTheSame({ content, subject: content }, values);
  });

  it('respects its budget and sixteen shapes at most', () => {
    expect(hasOutline({ content: '* a\n'.repeat(5_000), subject: '' }, {})).toBe(false);
    const names = Array.from({ length: 5 }, (_, index) => `n${index}`);
    const content = compileText(names.map((name) => `((${name}??x))`).join(' '), textSlots());
    const render = outlineRenderer({ subject: { ...content, plain: [''], placeholders: [] }, content }, () => ({
      subject: content,
      content,
    }));
    const shapes = Array.from({ length: 32 }, (_, bits) =>
      Object.fromEntries(names.map((name, bit) => [name, bits & (1 << bit) ? 1 : 0])),
    );
    const countOutlines = () => shapes.filter((values) => render(values, null)).length;
    expect(countOutlines()).toBe(16);
    expect(countOutlines()).toBe(16);
  });
});

const textPieces = [
  '((a))',
  '((b))',
  '((a))',
  '((c??on))',
  '((c??* on\n))',
  '((url))',
  ' ',
  ' ',
  '\n',
  '\n\n',
  '\n\n',
  'word',
  'Dear ',
  ', ',
  '. ',
  '.',
  "'",
  '"',
  ' - ',
  '-',
  '--',
  '* ',
  '\n* ',
  '\n\n* ',
  '1. ',
  '\n1. ',
  '# ',
  '\n\n## ',
  '^ ',
  '\n---\n',
  '\n===\n',
  '[',
  '](',
  ')',
  '[x](',
  '[((a))](https://x.example/((b)))',
  '(',
  ']',
  '![',
  'https://',
  'https://x.example/',
  'http',
  ':',
  '/',
  'gov',
  'GOV.',
  '.uk',
  'GOV.UK',
  '&',
  '&amp;',
  '&nbsp;',
  ';',
  '@',
  'x@y.example',
  '\\',
  '|',
  'a|b\n-|-\n',
  '    ',
  '  ',
  '\t',
  '```',
  '~~~',
  '<',
  '>',
  'é',
  '’',
  '“',
  '–',
  '\r\n',
  '\u200B',
  '\u2028',
  '£',
  '&#46;',
  '&#40;&#40;b&#41;&#41;',
  '&#9;',
  '&#10;',
  '&#39;',
  '&#34;',
  '&#49;',
  'zqx0001xqz',
  '_',
  '*',
  '+',
  '=',
  '#',
  '?',
  '!',
  'tel',
  "it's ",
  '80s',
  's',
  ' "title"',
  '🚀',
];
const valuePieces = [
  'Jo',
  'gov',
  'uk',
  'http',
  'https',
  'tel',
  'mailto',
  'a',
  's',
  '80s',
  '1',
  '12',
  '2026',
  'x',
  'pound',
  'amp',
  'lt',
  ' ',
  '-',
  '.',
  '/',
  ':',
  '@',
  ', ',
  '. ',
  ' & ',
  '£5',
  '£',
  '€',
  'é',
  'Ŵ',
];
const hostile = [
  "O'Brien",
  '"',
  "'",
  '\n',
  '\n\n* ',
  '[x](y)',
  '*',
  '#',
  '^',
  '<b>',
  '&lt;',
  '&',
  '  ',
  ' -',
  '- ',
  '://',
  '\\',
  '(',
  ')',
  '`',
  '~',
  '_',
  '|',
  '\t',
  '\u2028',
  '\u00A0',
  '÷',
  '((a))',
  'zqx0000xqz',
  '🚀',
  ' ,',
  ' .',
];
const join = (pieces: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { maxLength }).map((chosen) => chosen.join(''));

/** Mostly ordinary, so that most messages use an outline. */
const ordinary = join(valuePieces, 5).map((text) => text.trim());
const value = fc.oneof(
  { weight: 8, arbitrary: ordinary.filter(isPhrase) },
  { weight: 2, arbitrary: ordinary },
  { weight: 1, arbitrary: join([...valuePieces, ...hostile], 5) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(''),
      fc.constant(null),
      fc.array(ordinary),
      fc.string({ unit: 'binary' }),
    ),
  },
);
const address = fc
  .tuple(
    fc.constantFrom('http://', 'https://'),
    join(
      [
        'x',
        'example.com',
        'gov.uk',
        '/',
        '?a=1',
        '&b=2',
        '&pound',
        '#',
        '-',
        '_',
        '=',
        '%20',
        '.',
        ':8',
        'https://',
        '~~~',
        '80s',
      ],
      6,
    ),
  )
  .map((parts) => parts.join(''));
const url = fc.oneof(
  { weight: 5, arbitrary: address.filter(isAddress) },
  { weight: 1, arbitrary: address },
  { weight: 1, arbitrary: value },
);
const values = fc.record({ a: value, b: value, c: fc.constantFrom<unknown>('yes', 'no', true, 0), url });
const text = fc.oneof(
  { weight: 4, arbitrary: join(textPieces, 14) },
  { weight: 1, arbitrary: join(['((a))', ' ', "'", '"', '\n', 'x', '* ', '1', '.', '-'], 10) },
);

describe('an email is byte for byte the same as its parts, rendered in full', () => {
  it('for any template and any values', () => {
    let outlines = 0;
    let runs = 0;
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(values, { minLength: 2, maxLength: 4 }),
        fc.option(url),
        (content, subject, messages, link) => {
          const email = compileTemplate({ template_type: 'email', content, subject });
          const unsubscribe_link = typeof link === 'string' ? link : null;
          const options = { ...pageOptions, unsubscribe_link };
          for (const message of messages) {
            runs++;
            if (hasOutline({ content, subject }, message, unsubscribe_link ?? undefined)) outlines++;
            expect(email.message(message, options)).toEqual(renderInFull({ content, subject }, message, options));
          }
        },
      ),
      { numRuns: isLongRun ? 1_500 : 300 },
    );
    expect(outlines / runs).toBeGreaterThan(0.1);
  }, 120_000);
});

describe('reference vectors', () => {
  interface Vector {
    id: string;
    markdown: string;
    values?: Personalisation;
  }

  it.each(casesOf<Vector>('markdown-email.json'))('$id', ({ markdown, values = {} }) => {
    expectTheSame({ content: markdown, subject: markdown }, values);
    expectTheSame(
      { content: `Dear ((name)), ((x))\n\n${markdown}\n\n((x))`, subject: markdown },
      { name: 'Jo', x: '12', ...values },
      unsubscribeLink,
    );
  });
});
