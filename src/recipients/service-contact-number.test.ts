import { describe, expect, it } from 'vitest';
import { checkServiceContactNumber } from './service-contact-number.ts';

describe('checkServiceContactNumber', () => {
  it.each([
    ['111', undefined],
    ['1 0 1', undefined],
    ['0300 123 1000', undefined],
    ['07912 345678', undefined],
    ['999', 'unsupported_emergency_number'],
    ['112', 'unsupported_emergency_number'],
    ['+44 999', 'unsupported_emergency_number'],
    ['11', 'too_short'],
    ['ring us', 'unknown_character'],
  ])('%j: %s', (input, reason) => {
    expect(checkServiceContactNumber(input)).toBe(reason);
  });
});
