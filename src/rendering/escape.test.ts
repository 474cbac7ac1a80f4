import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEntities, escapeHtml, escapeQuotes } from './escape.ts';

describe('escapeHtml', () => {
  it.each([
    ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    ['"quotes" are \'text\'', '"quotes" are \'text\''],
    ['&amp; &nbsp;', '&amp; &nbsp;'],
    ['&lt;script&gt;', '&lt;script&gt;'],
    ['&#60;script&#x3E;', '&lt;script&gt;'],
    ['&#38;lt;', '&amp;lt;'],
    ['&amp;lt;', '&amp;lt;'],
    ['&pound;5 &eacute; &Hat;', '£5 é ^'],
    ['&pound5 &unknown; &;', '&amp;pound5 &amp;unknown; &amp;;'],
    ['&#0;', '\uFFFD'],
  ])('%j is %j', (text, expected) => {
    expect(escapeHtml(text)).toBe(expected);
  });

  it('never leaves a bracket or a bare ampersand', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('<', '>', '&', '&lt', '&#60;', '&#x', ';', '&LT;', '&nvlt;'));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(escapeHtml(pieces.join(''))).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|nbsp;)/);
      }),
    );
  });
});

describe('decodeEntities', () => {
  it.each([
    ['&lt;b&gt; &amp;lt; &nbsp;.', '<b> &lt; \u00A0.'],
    ['?a=1&copy=2', '?a=1&copy=2'],
  ])('%j is %j', (text, expected) => {
    expect(decodeEntities(text)).toBe(expected);
  });
});

describe('escapeQuotes', () => {
  it('makes escaped text safe in an attribute', () => {
    expect(escapeQuotes('a "b" &amp; c')).toBe('a &quot;b&quot; &amp; c');
  });
});
