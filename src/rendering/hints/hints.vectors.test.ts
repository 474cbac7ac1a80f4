import { describe, expect, it } from 'vitest';
import { casesOf } from '../../../test/kit/vectors.ts';
import { createCountry } from '../../countries/country.ts';
import { gb } from '../../countries/gb.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { Hint, HintedService } from './hint.ts';
import { findHints } from './hints.ts';

type Expected = { rule: string; found?: string } & Partial<Record<string, number>>;

interface Vector {
  id: string;
  why: string;
  channel: Channel | 'file';
  subject?: string;
  content: string;
  service?: HintedService;
  sent_to_many?: boolean;
  has_unsubscribe_link?: boolean;
  expect: Expected[];
}

/** What the vectors call the figures of a rule. */
const figures: Record<string, (hint: Hint) => object> = {
  'many-links': ({ count }) => ({ count }),
  'long-sentence': ({ count: words }) => ({ words }),
  'hard-to-read': ({ count: age }) => ({ age }),
  'dear-characters': ({ count: parts, other: parts_without }) => ({ parts, parts_without }),
  'save-a-part': ({ count: remove, other: parts }) => ({ remove, parts }),
};

const cases = casesOf<Vector>('sender/lint.json');
describe('sender/lint.json', () => {
  it.each(cases.filter(({ channel }) => channel !== 'file'))('$id $why', ({ channel, expect: expected, ...vector }) => {
    const { alphabet } = createCountry(gb).sms;
    const hints = findHints({ ...vector, channel: channel as Channel, english: true, alphabet });
    expect(
      hints.map((hint) => ({
        rule: hint.rule,
        ...(hint.found === null ? {} : { found: hint.found }),
        ...figures[hint.rule]?.(hint),
      })),
    ).toEqual(expected);
  });
});
