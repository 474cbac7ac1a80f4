import { describe, expect, it } from 'vitest';
import { createCountry } from '../countries/country.ts';
import { gb } from '../countries/gb.ts';
import { inEnglish } from '../language/text.ts';
import { refusalOfMobileNumber, refusalOfName } from './user-formats.ts';

describe('refusalOfMobileNumber', () => {
  it.each([
    ['07700900460', undefined],
    ['+4407700900460', undefined],
    ['+1 202 555 0187', undefined],
    ['', 'Not enough digits'],
    ['12345', 'Not enough digits'],
    ['079123456789012', 'Too many digits'],
    ['07700900a60', 'Must not contain letters or symbols'],
    ['+850 192 123 4567', 'Not a valid country prefix'],
    ['020 7946 0123', 'Not a UK mobile number'],
    ['07700 90012', 'Number is not valid – double check the phone number you entered'],
  ])('%j: %s', (text, reason) => {
    const refusal = refusalOfMobileNumber(createCountry(gb), text);
    expect(refusal && inEnglish(refusal)).toBe(reason && `Invalid phone number: ${reason}`);
  });
});

describe('refusalOfName', () => {
  it('rejects only the empty name', () => {
    expect(inEnglish(refusalOfName('') ?? '')).toBe('Invalid name');
    expect(refusalOfName(' ')).toBeUndefined();
  });
});
