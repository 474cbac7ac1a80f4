import { describe, expect, it } from 'vitest';
import { normaliseRecipient } from './recipient.ts';

describe('normaliseRecipient', () => {
  it.each([
    ['Ada@Example.com ', 'ada@example.com'],
    ['07912 345 678', '447912345678'],
    ['nobody', 'nobody'],
    ['ada@', 'ada@'],
    ['', ''],
  ])('%j becomes %j', (input, normalised) => {
    expect(normaliseRecipient(input)).toBe(normalised);
  });
});
