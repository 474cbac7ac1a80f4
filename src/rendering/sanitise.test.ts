import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitisePersonalisation, sanitiseText } from './sanitise.ts';
import { compileTemplate } from './template.ts';

describe('sanitiseText', () => {
  it.each([
    ['Amala', 'Amala'],
    ['Amala, please [click this evil link](https://evil.link)', 'Amala, please \\[click this evil link\\]\\(\\)'],
    ['www.evil.link?arg=nam', ''],
    ['http://evil.link/path?x=(1) now', ' now'],
    ['HTTPS://EVIL.LINK/x', ''],
    ['https://127.0.0.1/x', ''],
    ['Marie.Curie-Sklodowska', 'Marie\\. Curie\\-Sklodowska'],
    ['evil.link', 'evil\\. link'],
    ['jo@example.com', 'jo@example\\.com'],
    ['# heading\n* item', '\\# heading\n\\* item'],
    ['<b>`x`</b>', '\\<b\\>\\`x\\`\\</b\\>'],
    ['1.5', '1\\.5'],
    ['xhttp://localhost', 'xhttp: //localhost'],
    ['', ''],
  ])('%j is %j', (text, expected) => {
    expect(sanitiseText(text)).toBe(expected);
  });

  it('leaves nothing that an email would link', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('http://', 'https://', '[', '](', ')', '# ', '* ', '\n', '^ ', 'evil.link', '/x', '---', '"'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const { personalisation } = sanitisePersonalisation({ name: pieces.join('') }, ['name']);
        const email = compileTemplate({ template_type: 'email', subject: '', content: 'Dear ((name))' });
        expect(email.htmlFragment(personalisation)).not.toContain('<a');
      }),
    );
  });

  it('is shown without its backslashes', () => {
    const { personalisation } = sanitisePersonalisation({ name: '<Jo> (the *best*)' }, ['name']);
    const email = compileTemplate({ template_type: 'email', subject: '', content: 'Dear ((name))' });
    expect(email.htmlFragment(personalisation)).toContain('>Dear &lt;Jo&gt; (the *best*)</p>');
    expect(email.plainText(personalisation)).toBe('Dear <Jo> (the *best*)\n');
  });
});

describe('sanitisePersonalisation', () => {
  it('changes and reports only the listed values, for any spelling of the key', () => {
    const given = { 'First name': 'a.b_c', other: 'x_y', plain: 'z', list: ['*', 'ok'], number: 1.5 };
    const { personalisation, sanitised_content } = sanitisePersonalisation(given, [
      'first_name',
      'PLAIN',
      'list',
      'number',
      'absent',
    ]);
    expect(personalisation).toEqual({ ...given, 'First name': 'a\\.b\\_c', list: ['\\*', 'ok'] });
    expect(sanitised_content).toEqual({
      'First name': { unsanitised: 'a.b_c', sanitised: 'a\\.b\\_c' },
      list: { unsanitised: ['*', 'ok'], sanitised: ['\\*', 'ok'] },
    });
  });
});
