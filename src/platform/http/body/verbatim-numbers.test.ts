import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTime_ms, quadratic_ms } from '../../../../test/kit/process/processor-time.ts';
import { parseWithNumbersAsWritten } from './verbatim-numbers.ts';

const read = (json: string) => parseWithNumbersAsWritten(json, 'values');

describe('parseWithNumbersAsWritten', () => {
  it.each([
    ['{"values":{"a":1.0}}', { values: { a: '1.0' } }],
    ['{"values":{"a":2.50,"b":2.5}}', { values: { a: '2.50', b: 2.5 } }],
    ['{"values": {"a": 12345678901234567890}}', { values: { a: '12345678901234567890' } }],
    ['{"values":{"a":0.12345678901234567}}', { values: { a: '0.12345678901234567' } }],
    ['{"values":{"a":-1e3}}', { values: { a: '-1e3' } }],
    ['{"values":{"a":["x",1.0,[2.0]]}}', { values: { a: ['x', '1.0', ['2.0']] } }],
    ['{"values":{"a":{"weeks":1.0}}}', { values: { a: { weeks: 1 } } }],
    ['{"other":{"a":1.0},"values":{"a":1},"more":1.0}', { other: { a: 1 }, values: { a: 1 }, more: 1 }],
    ['{"other":{"values":{"a":1.0}}}', { other: { values: { a: 1 } } }],
    ['{"values":{"a":":1.0, \\"values\\":{ [2.0","b":3.0}}', { values: { a: ':1.0, "values":{ [2.0', b: '3.0' } }],
    ['{"values":{"a\\\\":1.0,"b\\"":"\\\\\\"2.0"}}', { values: { 'a\\': '1.0', 'b"': '\\"2.0' } }],
    [
      '{"values":[1.0,["a",2.50,[3.0]],{"a":4.0}],"more":[1.0]}',
      { values: ['1.0', ['a', '2.50', ['3.0']], { a: 4 }], more: [1] },
    ],
    ['{"values":1.0}', { values: 1 }],
    ['[1.0]', [1]],
    ['1.0', 1],
  ])('%s', (json, expected) => {
    expect(read(json)).toEqual(expected);
  });

  it('returns anything from JSON.stringify unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (values) => {
        const json = JSON.stringify({ values, more: values });
        expect(read(json)).toEqual(JSON.parse(json));
      }),
    );
  });

  it('accepts a string of many megabytes', () => {
    const file = 'A'.repeat(10_000_000);
    expect(read(`{"values":{"file":"${file}","a":1.0}}`)).toEqual({ values: { file, a: '1.0' } });
  });

  it.each([
    ['quotes', `"${'\\"'.repeat(9_000_000)}"`],
    ['backslashes', `"${'\\\\\\\\'.repeat(4_500_000)}"`],
    ['digits', '1'.repeat(19_000_000)],
  ])('takes linear time: 19 MB of %s', (_what, value) => {
    const json = `{"values":{"a":1.0,"b":${value}}}`;
    expect(processorTime_ms(() => read(json))).toBeLessThan(quadratic_ms);
  });

  it('takes linear time for nested lists', () => {
    const depth = 3_000;
    const json = `{"values":{"a":${'[1.0,'.repeat(depth)}2.0${']'.repeat(depth)}}}`;
    expect(JSON.stringify(read(json))).toBe(json.replace(/\d\.0/g, '"$&"'));
  });

  it('rejects invalid JSON', () => {
    expect(() => read('{"values":{"a":01,"b":1.0}}')).toThrow(SyntaxError);
  });
});
