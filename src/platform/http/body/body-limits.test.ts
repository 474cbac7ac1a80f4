import { describe, expect, it } from 'vitest';
import { processorTime_ms, quadratic_ms } from '../../../../test/kit/process/processor-time.ts';
import { refuseTooManyValues } from './body-limits.ts';

const long = 'x'.repeat(20_000);
const refused = (json: string, max: number) => {
  try {
    refuseTooManyValues(Buffer.from(json), max);
    return false;
  } catch {
    return true;
  }
};

describe('refuseTooManyValues', () => {
  it.each([
    ['no text', `[${'0,'.repeat(20_000)}0]`, 20_002],
    ['commas in a text', `["${',[{'.repeat(20_000)}"]`, 2],
    ['a quote behind a backslash', `["${long}\\",[[,${long}",1]`, 3],
    ['a backslash behind a backslash', `["${long}\\\\",1,"${long}"]`, 4],
    ['backslashes as the last thing of a long text', `["${long}${'\\\\'.repeat(501)}",1,2]`, 4],
    ['an escape behind so many bytes that a search begins', `["${'x'.repeat(65)}\\"${',y'.repeat(20_000)}",1]`, 3],
    ['many short texts', `[${'"a","b\\"",'.repeat(2_000)}"c"]`, 4_002],
    ['names and values', `{${'"a":"b,",'.repeat(3_000)}"${long}":{}}`, 3_003],
  ])('counts %s', (_what, json, values) => {
    expect(refused(json, values)).toBe(false);
    expect(refused(json, values - 1)).toBe(true);
  });

  it('handles an unterminated string, or one that ends with a backslash', () => {
    for (const json of [`["${long}`, `["${long}\\`, `["${long}\\"`]) expect(refused(json, 2)).toBe(false);
  });

  it.each([
    ['without escapes', 'x'],
    ['of escaped quotes', '\\"'],
    ['with an escape behind every search', `\\n${'x'.repeat(70)}`],
    ['with an escaped quote behind every search', `\\"${'x'.repeat(70)}`],
  ])('takes linear time: a string of 19 MB %s', (_what, part) => {
    const json = Buffer.from(`["${part.repeat(19_000_000 / part.length)}"]`);
    expect(processorTime_ms(() => refuseTooManyValues(json))).toBeLessThan(quadratic_ms);
  });
});
