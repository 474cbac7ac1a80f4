import { describe, expect, it } from 'vitest';
import { processorTime_ms } from '../../../test/kit/process/processor-time.ts';
import { compileTemplate } from '../template.ts';
import { findUnpairedTags } from './language-tags.ts';

function render(content: string, values: Record<string, unknown> = {}) {
  const email = compileTemplate({ template_type: 'email', subject: 's', content });
  const { html, text } = email.message(values, { brand: null, platform: { name: 'P' }, unsubscribe_link: null });
  const fragment = email.htmlFragment(values);
  // What is sent is what previews show.
  expect(html).toContain(fragment);
  expect(email.plainText(values)).toBe(text);
  return { html: fragment.replaceAll(/<\/?(?:table|tr|td)[^>]*>| style="[^"]*"/g, ''), text, body: email.body(values) };
}

describe('language tags of an email', () => {
  it('make blocks in HTML, and empty lines in the text; the body of the API has them as they are', () => {
    const content = 'Intro\n[[en]]\n# Hi\nthere\n[[/en]]\n[[fr]]Salut\n\n- un\n- deux[[/fr]]\nEnd';
    expect(render(content)).toEqual({
      html: '<p>Intro</p><div lang="en-ca"><h2>Hi</h2><p>there</p></div><div lang="fr-ca"><p>Salut</p><ul><li>un</li><li>deux</li></ul></div><p>End</p>',
      text: `Intro\n\nHi\n${'='.repeat(65)}\n\nthere\n\nSalut\n\n• un\n• deux\n\nEnd\n`,
      body: content,
    });
  });

  it('nest, and surround what spans several lines with any line breaks', () => {
    const { html } = render('[[rtl]]\r\n[[fr]]\r\n\r\na\r\n\r\n[[/fr]]\r\n\r\nb\r\n[[/rtl]]');
    expect(html).toBe('<div dir="rtl"><div lang="fr-ca"><p>a</p></div><p>b</p></div>');
  });

  it('are never made or broken by values', () => {
    const content = '[[en]]\nHello ((name))\n[[/en]]';
    const marks = '\uFDD2000000000000000\uFDD3';
    for (const name of ['[[fr]]x[[/fr]]', '[[/en]]', '[[rtl]]', `${marks}x`, '((name))']) {
      const { html } = render(content, { name });
      expect(html).toBe(`<div lang="en-ca"><p>Hello ${name}</p></div>`);
    }
  });

  it('may be in optional text, as pairs', () => {
    const content = 'a ((x??[[fr]]bonjour[[/fr]])) b';
    expect(render(content, { x: 'yes' }).html).toBe('<p>a</p><div lang="fr-ca"><p>bonjour</p></div><p>b</p>');
    expect(render(content, { x: 'no' }).html).toBe('<p>a  b</p>');
    expect(render('((x??[[rtl]]))a[[/rtl]]', { x: true }).html).toBe('<p>[[rtl]]a[[/rtl]]</p>');
    expect(render('(([[en]]))', { '[[en]]': 'x' }).html).toBe('<p>x</p>');
  });

  it('that cross: the one that is closed first works', () => {
    expect(render('[[en]]a[[rtl]]b[[/en]]c[[/rtl]]').html).toBe(
      '<div lang="en-ca"><p>a[[rtl]]b</p></div><p>c[[/rtl]]</p>',
    );
  });

  it('are read in linear time, and to a limited depth', () => {
    const many = 10_000;
    const readAll = () => {
      for (const content of [
        '[[en]]'.repeat(many) + '[[/en]]'.repeat(many),
        '[[rtl]]'.repeat(many) + '[[/en]]'.repeat(many) + '[[en]]'.repeat(many),
        '[[en]]x[[/en]]'.repeat(many),
      ]) {
        compileTemplate({ template_type: 'email', subject: 's', content }).plainText({});
        findUnpairedTags(content);
      }
    };
    expect(processorTime_ms(readAll)).toBeLessThan(10_000);
    const deep = render(`${'[[en]]'.repeat(8)}x${'[[/en]]'.repeat(8)}`).html;
    expect(deep.match(/<div/g)).toHaveLength(6);
  });

  it.each([
    ['[[en]]a[[/en]] [[fr]]b[[/fr]] [[rtl]]c[[/rtl]] [[EN]]', []],
    ['[[en]]a', ['[[en]]']],
    ['[[en]]a[[/en]][[fr]]', ['[[en]]', '[[/en]]', '[[fr]]']],
    ['[[/rtl]][[en]]a[[/en]]', ['[[/rtl]]']],
    ['plain [x](y)', []],
  ])('that stay text are found: %s', (content, unpaired) => {
    expect(findUnpairedTags(content)).toEqual(unpaired);
  });
});
