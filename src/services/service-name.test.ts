import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inEnglish } from '../language/text.ts';
import { normalisedName, refusalOfServiceName } from './service-name.ts';

describe('normalised name', () => {
  it.each([
    ['Service - with dash', 'service.with.dash'],
    ['name-with-other-delimiters', 'namewithotherdelimiters'],
    ['double..dots', 'double.dots'],
    ['üńïçödë wördś', 'unicode.words'],
    ['some name', 'some.name'],
    ['some (name)', 'some.name'],
    ['SOME NAME', 'some.name'],
    ['  foo\t\nbar  ', 'foo.bar'],
    ['.leading and trailing.', 'leading.and.trailing'],
    ['_archived_2018-07-07-12:00:00_Sample service', 'archived20180707120000sample.service'],
    ['123', '123'],
    ['!!!', ''],
  ])('of %j is %j', (name, expected) => {
    expect(normalisedName(name)).toBe(expected);
  });

  it('is idempotent, and has no leading, trailing or double dots', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const normalised = normalisedName(name);
        expect(normalisedName(normalised)).toBe(normalised);
        expect(normalised).not.toMatch(/^\.|\.$|\.\.|\s/);
      }),
    );
  });

  it('must not be empty', () => {
    expect(inEnglish(refusalOfServiceName(' - ') ?? '')).toBe('Must contain a letter or a digit.');
    expect(refusalOfServiceName('a')).toBeUndefined();
  });
});
