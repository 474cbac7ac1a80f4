import { describe, expect, it } from 'vitest';
import { applyTypography, applyTypographyToPieces } from './typography.ts';

describe('applyTypography', () => {
  it.each([
    ['Hello , you . Bye', 'Hello, you. Bye'],
    ['a\t\t, b', 'a, b'],
    [`"Isn't this fun?" she said`, '“Isn’t this fun?” she said'],
    [`'single' and "double"`, '‘single’ and “double”'],
    [`"'Quoted' words in a quote"`, '“‘Quoted’ words in a quote”'],
    [`the websites' URLs`, 'the websites’ URLs'],
    [`Jo's and 5's`, 'Jo’s and 5’s'],
    [`the '80s`, 'the ‘80s'],
    ['("in brackets")', '(“in brackets”)'],
    ['double -- dash', 'double – dash'],
    ['a - b – c — d --- e', 'a – b – c – d – e'],
    ['2004-2008 and ---- four', '2004-2008 and ---- four'],
    ['Items\n- one\n– two', 'Items\n- one\n– two'],
    [`o'neil@example.com isn't 'x'`, "o'neil@example.com isn’t ‘x’"],
    [`<a href="x">it's</a> it's`, `<a href="x">it's</a> it’s`],
    [`<p title="it's">"x"</p>`, `<p title="it's">“x”</p>`],
    [`<a>x</a>'`, `<a>x</a>’`],
    [`5 < 6 isn't`, `5 < 6 isn’t`],
  ])('%j is %j', (text, expected) => {
    expect(applyTypography(text)).toBe(expected);
  });
});

describe('applyTypographyToPieces', () => {
  it('considers the context across pieces', () => {
    expect(applyTypographyToPieces([`say "`, `"`, ` it's - so`])).toEqual(['say “', '”', ' it’s – so']);
  });
});
