import { describe, expect, it } from 'vitest';
import { renderEmailHtml } from './email-html.ts';
import { parseMarkdown } from './markdown.ts';
import { renderPlainText, renderSummary } from './plain-text.ts';

const parse = (markdown: string) => parseMarkdown(markdown, { links: true, open: [] });
const html = (markdown: string) => renderEmailHtml(parse(markdown)).replace(/ (?:style|role)="[^"]*"/g, '');
const text = (markdown: string) => renderPlainText(parse(markdown));

const ul = (...items: string[]) => list('ul', items);
const ol = (...items: string[]) => list('ol', items);
const list = (tag: string, items: string[]) =>
  `<table><tr><td><${tag}>${items.map((item) => `<li>${item}</li>`).join('')}</${tag}></td></tr></table>`;

describe('blocks', () => {
  it.each<[string, string]>([
    ['# x', '<h2>x</h2>'],
    ['#x', '<h2>x</h2>'],
    ['# x ##', '<h2>x</h2>'],
    ['## x', '<h3>x</h3>'],
    ['### x', '<p>x</p>'],
    ['###### x', '<p>x</p>'],
    ['#', '<p>#</p>'],
    ['##', '<h2>#</h2>'],
    ['x\n===', '<h2>x</h2>'],
    ['x\n-', '<h3>x</h3>'],
    ['a\nx\n---\nb', '<p>a</p><h3>x</h3><p>b</p>'],
    ['a\n# b\nc', '<p>a</p><h2>b</h2><p>c</p>'],

    ['a\nb', '<p>a<br>b</p>'],
    ['a\n\n\n\nb', '<p>a</p><p>b</p>'],
    ['a  \nb', '<p>a<br>b</p>'],
    ['a\r\nb\r\rc', '<p>a<br>b</p><p>c</p>'],
    ['a\tb', '<p>a   b</p>'],
    ['\na', '<p>a</p>'],
    ['\n\n\na', '<br><p>a</p>'],
    ['', ''],
    [' \n ', ''],

    ['* a\n* b', ul('a', 'b')],
    ['*a\n*b', ul('a', 'b')],
    ['- a', ul('a')],
    ['• a', ul('a')],
    ['1. a\n7. b', ol('a', 'b')],
    ['1.a', ol('a')],
    ['1) a', '<p>1) a</p>'],
    ['+ a\n+ b', '<p>+ a</p><p>+ b</p>'],
    ['Intro:\n* a', `<p>Intro:</p>${ul('a')}`],
    ['Intro:\n1. a', `<p>Intro:</p>${ol('a')}`],
    ['Intro:\n*a', '<p>Intro:<br>*a</p>'],
    ['Intro:\n• a', '<p>Intro:<br>• a</p>'],
    ['* a\n  * b\n* c', ul(`a${ul('b')}`, 'c')],
    ['* a\n * b', ul(`a${ul('b')}`)],
    ['1. a\n   * b\n   * c\n2. d', ol(`a${ul('b', 'c')}`, 'd')],
    ['* a\n\n* b', ul('<p> a</p>', '<p> b</p>')],
    ['* a\n\n  b', ul('<p>a</p><br><p> b</p>')],
    ['* a\nb', ul('a<br>b')],
    ['* a\n\nb', `${ul('a')}<p>b</p>`],
    ['* a\n\n\n* b', `${ul('a')}${ul('b')}`],
    ['* a\n***\nb', `${ul('a')}<hr><p>b</p>`],
    ['*', '<p>*</p>'],
    ['**bold** first', ul(ul('bold** first'))],

    ['^ a\n^b\n\nc', '<div><blockquote><p>a<br>b</p></blockquote></div><p>c</p>'],
    ['^ a\n\n^ b', '<div><blockquote><p>a</p><p>b</p></blockquote></div>'],
    ['^ * a', `<div><blockquote>${ul('a')}</blockquote></div>`],
    ['a\n^ b', '<p>a<br>^ b</p>'],

    ['a\n\n---\n\nb', '<p>a</p><hr><p>b</p>'],
    ['a\n***\nb', '<p>a</p><hr><p>b</p>'],
    ['- - -', '<hr>'],
    ['--', ul('-')],

    ['a | b\n---|---\n1 | 2\n\nc', '<p>c</p>'],
    ['| a | b |\n|---|---|\n| 1 | 2 |\nc', '<p>c</p>'],
    ['a | b', '<p>a | b</p>'],
    ['```js\nlet a;\n\nlet b;\n```\nc', 'let a;\n\nlet b;<p>c</p>'],
    ['```\nunclosed', '<p>```<br>unclosed</p>'],
    ['~~~\na\n~~~', 'a'],
    ['    a\n    b', 'a\nb'],
  ])('%j', (markdown, expected) => {
    expect(html(markdown)).toBe(expected);
  });

  it('treats lists and insets below the sixth level as text', () => {
    expect(html(`${'*'.repeat(9)} x`)).toContain('<li>*** x</li>');
    expect(html(`${'^'.repeat(9)}x`)).toContain('<p>^^^x</p>');
  });
});

describe('links and text', () => {
  it.each<[string, string]>([
    ['[t](http://u.example)', '<a href="http://u.example">t</a>'],
    ['[t](u.example "a title")', '<a href="http://u.example" title="a title">t</a>'],
    ["[t](mailto:a@b.example 'x')", '<a href="mailto:a%40b.example" title="x">t</a>'],
    ['[t](TEL:+44)', '<a href="TEL:%2B44">t</a>'],
    ['[t](javascript:alert(1))', '<a href="http://javascript:alert%281">t</a>)'],
    ['[t](http://x/%20é?a=1&amp;b)', '<a href="http://x/%20%C3%A9?a=1&amp;b">t</a>'],
    ['[t](u "say "hi" now")', '<a href="http://u" title="say &quot;hi&quot; now">t</a>'],
    ['[a [b] c](u)', '<a href="http://u">a [b] c</a>'],
    ['[a [b](v) c](u)', '<a href="http://u">a b c</a>'],
    ['[https://a.example](u)', '<a href="http://u">https://a.example</a>'],
    ['[](https://a.example)', '<a href="https://a.example">https://a.example</a>'],
    ['a [ ](u.example "title") b', 'a <a href="http://u.example">u.example</a> b'],
    ['[![alt](src)](https://a.example)', '<a href="https://a.example">https://a.example</a>'],
    ['[](javascript:alert(1))', '<a href="http://javascript:alert%281">javascript:alert(1</a>)'],
    ['[](u"onclick=x)', '<a href="http://u%22onclick=x">u"onclick=x</a>'],
    ['[t] (u)', '[t] (u)'],
    ['[t](u', '[t](u'],
    ['[[[[t](u)', '[[[<a href="http://u">t</a>'],
    ['[t](u) [v](w)', '<a href="http://u">t</a> <a href="http://w">v</a>'],
    ['a ![alt](src) b', 'a  b'],
    ['x https://a.example/b). y', 'x <a href="https://a.example/b">https://a.example/b</a>). y'],
    ['https://a.example/(b)/c', '<a href="https://a.example/%28b%29/c">https://a.example/(b)/c</a>'],
    ['HTTPS://A.EXAMPLE www.a.example a@b.example', 'HTTPS://A.EXAMPLE www.a.example a@b.example'],
    ['http://.', 'http://.'],
    ['a **b** *c* _d_ `e` ~~f~~', 'a **b** *c* _d_ `e` ~~f~~'],
    ['\\# \\* \\[t](u) \\\\ \\x \\&lt;', '# * [t](u) \\ \\x &lt;'],
  ])('%j', (markdown, expected) => {
    expect(html(markdown)).toBe(`<p>${expected}</p>`);
  });

  it('handles lone surrogates in URLs', () => {
    expect(html('[t](http://x/\uD83D)')).toBe('<p><a href="http://x/%EF%BF%BD">t</a></p>');
  });
});

describe('plain text', () => {
  it.each<[string, string]>([
    ['# a\n\nb', `\n\n\na\n${'='.repeat(65)}\n\nb`],
    ['## a', `\n\n\na\n${'-'.repeat(65)}`],
    ['### a', '\n\na'],
    ['* a\n* b\n\nc', '\n\n• a\n• b\n\nc'],
    ['3. a\n3. b', '\n\n1. a\n2. b'],
    ['1. a\n  * b\n2. c', '\n\n1. a\n\n• b\n2. c'],
    ['a\n\n---', `\n\na\n\n${'=-'.repeat(33).slice(0, 65)}`],
    ['^ a\nb', '\n\na\nb'],
    ['a [](https://x.example "v") [ ](u)', '\n\na https://x.example u'],
    ['[t](u "v") https://x.example', '\n\nt (v): u https://x.example'],
    ['![a](b)', ''],
  ])('%j', (markdown, expected) => {
    expect(text(markdown)).toBe(expected);
  });

  it('as a summary has no underlines, rules or URLs', () => {
    expect(renderSummary(parse('# a\n\n---\n\n[t](u "v")'))).toBe('\n\na\n\nt (v)');
  });
});
