import { describe, expect, it } from 'vitest';
import { casesOf } from '../../../test/kit/vectors.ts';
import { gb } from '../../countries/gb.ts';
import { type KeywordLanguage, type KeywordSet, listKnownWords, readKeyword } from './keywords.ts';

interface Case {
  id: string;
  text: string;
  keyword_set?: KeywordSet;
  languages?: KeywordLanguage[];
  stopped?: boolean;
  expect: { action: string; keyword?: string };
}

const cases = casesOf<Case>('sender/keywords.json');

describe('received texts', () => {
  it.each(cases.map((one) => [one.id, one.text, one] as const))('%s: %j', (_id, text, one) => {
    const { keyword_set: set = 'basic', languages = [], stopped = false } = one;
    expect(
      readKeyword(text, { set, known: listKnownWords(gb, languages), isStopped: stopped }) ?? { action: 'none' },
    ).toEqual(one.expect);
  });
});
