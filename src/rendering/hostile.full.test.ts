import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLongRun } from '../../test/kit/process/process-environment.ts';
import type { EmailBrandType } from './email/page.ts';
import { findHints } from './hints/hints.ts';
import { sanitiseText } from './sanitise.ts';
import { compileTemplate } from './template.ts';

/** Every tag that a rendered email may contain, with its allowed attributes. */
const ownTags = new RegExp(
  `^(?:${[
    '</?(?:tr|br)>',
    '</(?:p|h2|h3|ul|ol|li|a|table|td|div|blockquote|span)>',
    '<(?:p|h2|h3|hr|ul|ol|li|td|div|blockquote) style="[\\w\\s#:;.,-]*">',
    '<table role="presentation" style="[\\w\\s#:;.,-]*">',
    '<a style="[\\w\\s#:;-]*" href="(?:https?|ftp|file|mailto|tel):[\\w.\\-~:/?#=&;%]*"(?: title="[^"<>]*")?>',
    "<span class='placeholder(?:-conditional)?'>",
  ].join('|')})$`,
  'i',
);

const dangerous = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '&lt;script&gt;',
  '&#60;b&#62;',
  '&#x3c;',
  '[x](javascript:alert(1))',
  '[x](data:text/html,<b>)',
  '[](data:text/html,<b>)',
  '[x](u "t" onclick="alert(1)")',
  "[x](u 'a' style='b')",
  'https://x.example/"onclick="alert(1)',
  'https://x.example/<b>',
  '![x](y "z")',
  '<!-- -->',
  '<',
  '>',
  '&',
  '"',
  "'",
  '[',
  '](',
  ')',
  '((a))',
  '((a??<b>))',
  '((',
  '))',
  '\n',
  '\n\n',
  '* ',
  '# ',
  '^ ',
  '|',
  '---',
  '```',
  '\u202Eright to left',
  '\uD800',
  '\uFDD00\uFDD1',
  '\u0000',
];
const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...dangerous), fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 12 })
  .map((pieces) => pieces.join(''));

function expectOwnMarkupOnly(html: string): void {
  expect(html.match(/<[^>]*>?/g)?.filter((tag) => !ownTags.test(tag)) ?? []).toEqual([]);
  expect(html).not.toMatch(/&(?!(?:amp|lt|gt|nbsp|quot|#40|#41);)/);
}

describe('HTML from a template or a value', () => {
  it('never survives in the body of an email', () => {
    fc.assert(
      fc.property(hostileText, hostileText, fc.boolean(), (content, value, isFilled) => {
        const email = compileTemplate({ template_type: 'email', content, subject: content });
        const values: Record<string, unknown> = isFilled ? { a: value, b: [value, value] } : { b: value };
        expectOwnMarkupOnly(email.htmlFragment(values));
        expectOwnMarkupOnly(email.htmlFragment(values, { unsubscribe_link: value }));
        expect(email.preheader(values)).not.toMatch(/[<>]/);
      }),
      { numRuns: isLongRun ? 2_000 : 400 },
    );
  });

  it('never survives in the page around it', () => {
    const skeleton = (html: string) => html.replace(/ (?:title|href|src|alt)="[^"]*"/g, '').match(/<[^>]*>/g);
    fc.assert(
      fc.property(hostileText, fc.constantFrom<EmailBrandType>('org', 'both', 'org_banner'), (text, brand_type) => {
        const page = (subject: string, filling: string) =>
          compileTemplate({ template_type: 'email', content: 'x', subject }).message(
            { a: filling },
            {
              brand: { brand_type, colour: filling, logo_url: filling, text: filling, alt_text: null },
              platform: { name: filling, url: filling },
            },
          ).html;
        expect(skeleton(page(text, `x${text}`))).toEqual(skeleton(page('x', 'x')));
      }),
    );
  });
});

/**
 * A text eight times as long may take up to 32 times as long: quadratic time would be 64 times. Takes the best of
 * several attempts in CPU time, so that load on the machine does not matter.
 */
describe('time is linear in the length of the text', () => {
  const small = 4_000;
  const growth = 8;
  const tolerance = 4;
  const attempts = 30;
  const shortest_ms = 0.5;

  const repeat = (piece: string) => (size: number) => piece.repeat(Math.ceil(size / piece.length));

  const texts: Record<string, (size: number) => string> = {
    words: repeat('Some words, and a few more - "yes". '),
    'opening brackets': repeat('['),
    'closing brackets': repeat(']'),
    'nested brackets': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
    'pairs of brackets': repeat('[a][[a]'),
    'unclosed links': repeat('[a](b '),
    'unclosed titles': repeat('[a](b "c '),
    'closed far away': (size) => `${'[a]('.repeat(size / 4)})`,
    'carets in brackets': repeat('[^[a] '),
    'opening parentheses': repeat('('),
    'unclosed placeholders': repeat('((a'),
    placeholders: repeat('((a)) '),
    'a placeholder without end': (size) => `((${'a'.repeat(size)}`,
    spaces: repeat(' '),
    'spaces in text': (size) => `a${' '.repeat(size)}b`,
    tabs: repeat('\t'),
    'line breaks': repeat('\n'),
    'carriage returns': repeat('\r'),
    'spaced line breaks': repeat(' \n'),
    ampersands: repeat('&'),
    'half entities': repeat('&abcdefgh'),
    'less than': repeat('<'),
    tags: repeat('<b>'),
    quotes: repeat('"\''),
    'quotes in words': repeat('"a\' '),
    'at signs': repeat("a'@"),
    dashes: repeat('-'),
    'spaced dashes': repeat(' - '),
    'rule with an end': (size) => `${'- '.repeat(size / 2)}x`,
    underlines: repeat('a\n-'),
    hashes: repeat('#'),
    'hashes and spaces': (size) => `# a${' #'.repeat(size / 2)} b`,
    'list marks': repeat('*'),
    'list items': repeat('* a\n'),
    'loose list items': repeat('* a\n\n'),
    'deeper and deeper': (size) =>
      Array.from({ length: Math.sqrt(size) }, (_, depth) => `${' '.repeat(depth)}* a`).join('\n'),
    insets: repeat('^'),
    'inset lines': repeat('^ a\n\n'),
    digits: repeat('1'),
    'numbered marks': repeat('1.'),
    pipes: repeat('|'),
    'table rows': (size) => `a|b\n-|-\n${'a|b\n'.repeat(size / 4)}`,
    'table of dashes': (size) => `|a\n|${'-:'.repeat(size / 2)}x\na`,
    fences: repeat('```\n'),
    'longer and longer fences': (size) =>
      Array.from({ length: Math.sqrt(size) }, (_, length) => '`'.repeat(length + 3)).join('\n'),
    'fence with a long language': (size) => `\`\`\`${' '.repeat(size)}a b\n`,
    tildes: repeat('~'),
    backslashes: repeat('\\'),
    schemes: repeat('http://'),
    'address of brackets': (size) => `https://x.example/${'[a]'.repeat(size / 3)}`,
    'shorteners in shorteners': repeat('bit.ly/www.bit.ly/'),
    'unfinished phrases': repeat('click '),
    'sentences of dots': repeat('a.b..c...'),
    capitals: repeat('ABC D '),
    'address of dots': (size) => `http://${'.'.repeat(size)}`,
    'host of hyphens': repeat('a-'),
    'host of dots': repeat('a.'),
    'host of numbers': repeat('1.1'),
    'gov.uk': repeat('gov.uk '),
    'half characters': repeat('\uD83D'),
    accents: repeat('ế́'),
    'right to left': repeat('\u202Eא '),
    marks: repeat('\uFDD00\uFDD1'),
  };

  const renderers: Record<string, (content: string) => unknown> = {
    sms: (content) => compileTemplate({ template_type: 'sms', content }).render({ a: 'x' }, { prefix: 'y' }),
    email: (content) => {
      const email = compileTemplate({ template_type: 'email', content, subject: content });
      return [email.subject({ a: 1 }), email.htmlFragment({ a: 1 }), email.plainText({ a: 1 })];
    },
    message: (content) => {
      const email = compileTemplate({ template_type: 'email', content: `((b)) ${content}`, subject: content });
      return email.message({ a: 1, b: content }, { brand: null, platform: { name: 'x' }, unsubscribe_link: content });
    },
    outline: (content) => {
      const email = compileTemplate({ template_type: 'email', content, subject: '' });
      return email.message({ a: 1 }, { brand: null, platform: { name: 'x' } });
    },
    letter: (content) =>
      compileTemplate({ template_type: 'letter', content, subject: content, contact_block: content }).document(
        { b: 1 },
        { day: '1970-01-01' },
      ),
    value: (content) =>
      compileTemplate({ template_type: 'email', content: '((a))', subject: '((a))' }).htmlFragment({ a: content }),
    sanitise: sanitiseText,
    'hints of an email': (content) => findHints({ channel: 'email', content, subject: content, english: true }),
    'hints of a text': (content) => findHints({ channel: 'sms', content, english: true }),
  };

  const time_ms = (render: (content: string) => unknown, content: string) => {
    const start = process.cpuUsage();
    render(content);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };

  it.each(Object.entries(texts))('%s', (_, text) => {
    const [shortText, longText] = [text(small), text(growth * small)];
    for (const [name, render] of Object.entries(renderers)) {
      let short_ms = Number.POSITIVE_INFINITY;
      let long_ms = Number.POSITIVE_INFINITY;
      const allowed_ms = () => tolerance * growth * Math.max(short_ms, shortest_ms);
      for (let attempt = 0; attempt < attempts && !(long_ms < allowed_ms()); attempt++) {
        short_ms = Math.min(short_ms, time_ms(render, shortText));
        long_ms = Math.min(long_ms, time_ms(render, longText));
      }
      expect(long_ms, name).toBeLessThan(allowed_ms());
    }
  });
});
