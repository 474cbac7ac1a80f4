import { describe, expect, it } from 'vitest';
import type { Personalisation } from '../personalisation.ts';
import { compileTemplate } from '../template.ts';
import type { EmailBrand } from './page.ts';

const email = (content: string, subject = 'Subject') => compileTemplate({ template_type: 'email', content, subject });

describe('subject', () => {
  it.each<[string, Personalisation, string]>([
    [' no\n\tbreak ', {}, 'no break'],
    ['\u200C Your tax   ((status))', { status: ' is\ndue ' }, 'Your tax is due'],
    ['RE: "((a))" - it\'s ((a)) .', { a: 'x <b> & y' }, 'RE: “x <b> & y” – it’s x <b> & y.'],
    ['((list))', { list: ['a', 'b'] }, 'a and b'],
    ['&pound; 5', {}, '&pound; 5'],
  ])('%j with %j', (subject, values, expected) => {
    expect(email('', subject).subject(values)).toBe(expected);
  });
});

describe('body', () => {
  it('is the template with its values, otherwise unchanged', () => {
    const content = '\n # ((a)) \r\n\r\n"b" , <i> &amp;\n((list))  ';
    expect(email(content).body({ a: '<x>', list: ['1', '2'] })).toBe('# <x> \r\n\r\n"b" , <i> &amp;\n\n\n* 1\n* 2');
  });
});

const paragraph = '<p style="Margin: 0 0 20px 0; font-size: 19px; line-height: 25px; color: #0B0C0C;">';

describe('HTML fragment', () => {
  it.each<[string, Personalisation, string]>([
    ['Dear ((name)),', { name: '<b>Jo</b>' }, 'Dear &lt;b&gt;Jo&lt;/b&gt;,'],
    ['GOV.UK and gov.uk/x, mygov.uk #GOV.UK?', {}, 'GOV.\u200BUK and gov.uk/x, mygov.uk #GOV.UK?'],
    ['a\u2028b\u3164c', {}, 'abc'],
    ['it\'s "so" - yes', {}, 'it’s “so” – yes'],
    ['&pound; &amp; &nbsp; &lt;', {}, '£ &amp; &nbsp; &lt;'],
  ])('%j with %j', (content, values, expected) => {
    expect(email(content).htmlFragment(values)).toBe(`${paragraph}${expected}</p>`);
  });

  it('parses Markdown in values', () => {
    expect(email('((x))').htmlFragment({ x: '# a\n\n* b' })).toMatch(/^<h2 [^>]*>a<\/h2><table .*<li [^>]*>b<\/li>/);
  });

  it('has styles on every element', () => {
    const all = '# a\n\n## b\n\nc\n\n* d\n\n1. e\n\n^ f\n\n---\n\n[g](h "i")';
    expect(email(all).htmlFragment({})).toMatchInlineSnapshot(
      `"<h2 style="Margin: 0 0 15px 0; padding: 10px 0 0 0; font-size: 27px; line-height: 35px; font-weight: bold; color: #0B0C0C;">a</h2><h3 style="Margin: 0 0 15px 0; padding: 10px 0 0 0; font-size: 19px; line-height: 25px; font-weight: bold; color: #0B0C0C;">b</h3><p style="Margin: 0 0 20px 0; font-size: 19px; line-height: 25px; color: #0B0C0C;">c</p><table role="presentation" style="padding: 0 0 20px 0;"><tr><td style="font-family: Helvetica, Arial, sans-serif;"><ul style="Margin: 0 0 0 20px; padding: 0; list-style-type: disc;"><li style="Margin: 5px 0 5px; padding: 0 0 0 5px; font-size: 19px;line-height: 25px; color: #0B0C0C;"><p style="Margin: 0 0 20px 0; font-size: 19px; line-height: 25px; color: #0B0C0C;"> d</p></li><li style="Margin: 5px 0 5px; padding: 0 0 0 5px; font-size: 19px;line-height: 25px; color: #0B0C0C;"><p style="Margin: 0 0 20px 0; font-size: 19px; line-height: 25px; color: #0B0C0C;"> e</p></li></ul></td></tr></table><div style="Margin: 0 0 20px 0;"><blockquote style="Margin: 0; border-left: 10px solid #B1B4B6;padding: 15px 0 0.1px 15px; font-size: 19px; line-height: 25px;"><p style="Margin: 0 0 20px 0; font-size: 19px; line-height: 25px; color: #0B0C0C;">f</p></blockquote></div><hr style="border: 0; height: 1px; background: #B1B4B6; Margin: 30px 0 30px 0;"><p style="Margin: 0 0 20px 0; font-size: 19px; line-height: 25px; color: #0B0C0C;"><a style="word-wrap: break-word; color: #1D70B8;" href="http://h" title="i">g</a></p>"`,
    );
  });

  it('highlights missing values, in URLs as text', () => {
    expect(email('Hi ((a)), ((b??yes)) [t](https://x.example/((c)))').htmlFragment({ d: 1 })).toBe(
      `${paragraph}Hi <span class='placeholder'>&#40;&#40;a&#41;&#41;</span>, ` +
        "<span class='placeholder-conditional'>&#40;&#40;b??</span>yes)) " +
        '<a style="word-wrap: break-word; color: #1D70B8;" href="https://x.example/%28%28c%29%29">t</a></p>',
    );
    expect(email('Hi ((a))').htmlFragment({}, { redact: true })).toBe(
      `${paragraph}Hi <span class='placeholder-redacted'>hidden</span></p>`,
    );
  });

  it('ends with the unsubscribe link, if any', () => {
    const html = email('* Bye').htmlFragment({}, { unsubscribe_link: 'https://x.example/u?a=1&b="2"' });
    expect(html).toMatch(/<\/table><hr [^>]*><p [^>]*><a [^>]*>Unsubscribe from these emails<\/a><\/p>$/);
    expect(html).toContain('href="https://x.example/u?a=1&amp;b=%222%22"');
  });
});

describe('plain text', () => {
  it('ends with one line break and has nothing escaped', () => {
    const content = '((list))\n\nDear <Jo> &amp; &pound;,\n\n[site](example.com)';
    expect(email(content).plainText({ list: ['a'] }, { unsubscribe_link: 'https://x.example/?a&b' })).toBe(
      `• a\n\nDear <Jo> & £,\n\nsite: example.com\n\n${'=-'.repeat(32)}=\n\n` +
        'Unsubscribe from these emails: https://x.example/?a&b\n',
    );
  });
});

describe('preheader', () => {
  it('is the text in one line', () => {
    expect(email('# Hi "((name))"\n\n* a & b\n\n[link](https://x.example)').preheader({ name: 'Jo' })).toBe(
      'Hi “Jo” • a &amp; b link',
    );
  });

  it('is truncated to 256 characters, never within a character or entity', () => {
    expect(email(`${'a'.repeat(300)}`).preheader({})).toBe('a'.repeat(256));
    expect(email(`${'a'.repeat(253)}&b`).preheader({})).toBe('a'.repeat(253));
    expect(email('🚀'.repeat(300)).preheader({})).toBe('🚀'.repeat(256));
  });
});

const contentSource = `# Your appointment

Dear ((name)),

Your appointment is on Tuesday at ((time)) - please bring:

* this email
* something to read
  * a book
  * or the "news"

^ If you can't come, tell us on 01632 960 123.

## Getting here

1. Take the 86 bus
2. Walk to [the surgery](https://example.com/map "Map")

See https://example.com/appointments or GOV.UK.

---

Yours sincerely
The surgery`;

const testBrand: EmailBrand = {
  brand_type: 'org',
  colour: '#00703c',
  logo_url: 'https://static-logos.example.com/surgery.png',
  text: 'Penny Lane Surgery',
  alt_text: null,
};
const testPlatform = { name: 'Pennypost', url: 'https://pennypost.example.com' };

describe('the whole email', () => {
  const page = (brand: EmailBrand | null) =>
    email(contentSource, 'Appointment for ((name)) <today>').message(
      { name: 'Jo & Sam', time: '10:15' },
      { brand, platform: testPlatform, unsubscribe_link: 'https://pennypost.example.com/unsubscribe/1' },
    ).html;

  it.each<[string, EmailBrand | null]>([
    ['none', null],
    ['org', testBrand],
    ['both', { ...testBrand, brand_type: 'both', text: null, alt_text: 'Penny Lane Surgery' }],
    ['org_banner', { ...testBrand, brand_type: 'org_banner' }],
  ])('with brand type %s', async (name, brand) => {
    await expect(page(brand)).toMatchFileSnapshot(`email.${name}.golden.html`);
  });

  it('shows text without a logo only in the banner', () => {
    const brand = { ...testBrand, logo_url: null };
    expect(page(brand)).not.toContain('Penny Lane Surgery');
    expect(page({ ...brand, brand_type: 'both' })).not.toContain('Penny Lane Surgery');
    expect(page({ ...brand, brand_type: 'org_banner' })).toContain('>Penny Lane Surgery</td>');
  });

  it('makes the logo small and decorative next to text, large and labelled without', () => {
    expect(page(testBrand)).toContain('alt="" aria-hidden="true" height="27"');
    expect(page({ ...testBrand, text: null, alt_text: 'A "logo"' })).toContain('alt="A &quot;logo&quot;" height="54"');
  });

  it('escapes markup in a brand', () => {
    const html = page({
      brand_type: 'org_banner',
      colour: 'red;background:url(https://evil.example)',
      logo_url: 'javascript:alert("1")',
      text: '<script>',
      alt_text: null,
    });
    expect(html).toContain('background-color: #0b0c0c;');
    expect(html).toContain('src="http://javascript:alert%28%221%22%29"');
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('evil');
  });
});
