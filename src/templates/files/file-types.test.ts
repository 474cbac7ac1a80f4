import { describe, expect, it } from 'vitest';
import { processorTime_ms, quadratic_ms } from '../../../test/kit/process/processor-time.ts';
import { readUpload } from './file-types.ts';

describe('a file in base64', () => {
  it.each([
    ['QUJD', 'ABC'],
    ['QUI=', 'AB'],
    ['QUI', 'AB'],
    ['QU\nI=\n', 'AB'],
  ])('decodes %j', (content, expected) => {
    expect(readUpload(content)?.toString()).toBe(expected);
  });

  it.each(['', '====', 'QUJD!', 'QUJDQ'])('rejects %j', (content) => {
    expect(() => readUpload(content)).toThrow();
  });

  it('rejects 10 MB of padding in linear time', () => {
    const content = `QUJD${'='.repeat(10_000_000)}a`;
    expect(processorTime_ms(() => expect(() => readUpload(content)).toThrow())).toBeLessThan(quadratic_ms);
  });
});
