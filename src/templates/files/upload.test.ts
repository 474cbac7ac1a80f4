import { describe, expect, it } from 'vitest';
import { processorTime_ms } from '../../../test/kit/processor-time.ts';
import { readUpload } from './upload.ts';

describe('a file in base64', () => {
  it.each([
    ['QUJD', 'ABC'],
    ['QUI=', 'AB'],
    ['QUI', 'AB'],
    ['QU\nI=\n', 'AB'],
  ])('%j is read', (content, expected) => {
    expect(readUpload(content)?.toString()).toBe(expected);
  });

  it.each(['', '====', 'QUJD!', 'QUJDQ'])('%j is refused', (content) => {
    expect(() => readUpload(content)).toThrow();
  });

  it('is refused in time that grows with it: 10 MB of padding', () => {
    const content = `QUJD${'='.repeat(10_000_000)}a`;
    expect(processorTime_ms(() => expect(() => readUpload(content)).toThrow())).toBeLessThan(1_000);
  });
});
