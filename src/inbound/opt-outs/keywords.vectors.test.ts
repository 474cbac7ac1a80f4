import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type KeywordLanguage, type KeywordSet, readKeyword } from './keywords.ts';

// A larger set of examples than the table in keywords.test.ts, kept outside the project and not required.
const folder = process.env.VECTORS_DIR ?? fileURLToPath(new URL('../../../../shared/vectors', import.meta.url));
const file = `${folder}/sender/keywords.json`;

interface Case {
  id: string;
  text: string;
  keyword_set?: KeywordSet;
  languages?: KeywordLanguage[];
  stopped?: boolean;
  expect: { action: string; keyword?: string };
}

const cases: Case[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).cases : [];

describe.skipIf(!existsSync(file))('received texts', () => {
  it.each(cases.map((one) => [one.id, one.text, one] as const))('%s: %j', (_id, text, one) => {
    const { keyword_set: set = 'basic', languages = [], stopped = false } = one;
    expect(readKeyword(text, { set, languages, isStopped: stopped }) ?? { action: 'none' }).toEqual(one.expect);
  });
});
