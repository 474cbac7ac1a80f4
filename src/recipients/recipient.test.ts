import { describe, expect, it } from 'vitest';
import { isListedRecipient, normaliseRecipient } from './recipient.ts';

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

describe('isListedRecipient', () => {
  const list = ['+33 6 12 34 56 78', '07912345678', 'Ada@example.com', 'not a recipient'];

  it.each(['0033612345678', '+44 (0)7912 345 678', 'ada@EXAMPLE.com'])('%s is listed', (recipient) => {
    expect(isListedRecipient(recipient, list)).toBe(true);
  });

  it.each(['07912345679', 'bob@example.com', ''])('%j is not', (recipient) => {
    expect(isListedRecipient(recipient, list)).toBe(false);
  });
});
