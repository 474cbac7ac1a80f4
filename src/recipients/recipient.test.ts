import { describe, expect, it } from 'vitest';
import { builtInCountries } from '../countries/built-in.ts';
import { createCountry } from '../countries/country.ts';
import { gb } from '../countries/gb.ts';
import { isSimulatedEmailAddress, isSimulatedPhoneNumber, normaliseRecipient, simulatedOutcome } from './recipient.ts';

const country = createCountry(gb);
const { phone } = country;

describe('normaliseRecipient', () => {
  it.each([
    ['Ada@Example.com ', 'ada@example.com'],
    ['07912 345 678', '447912345678'],
    ['nobody', 'nobody'],
    ['ada@', 'ada@'],
    ['', ''],
  ])('%j becomes %j', (input, normalised) => {
    expect(normaliseRecipient(phone, input)).toBe(normalised);
  });
});

describe('simulated recipients', () => {
  it.each(['07700900000', '+44 7700 900 111', '447700900222'])('%s is simulated', (input) => {
    expect(isSimulatedPhoneNumber(country, normaliseRecipient(phone, input))).toBe(true);
  });

  it.each(['07700900001', '07912345678', ''])('%j is not simulated', (input) => {
    expect(isSimulatedPhoneNumber(country, normaliseRecipient(phone, input))).toBe(false);
  });

  it.each([
    ['simulate-delivered@notifications.service.gov.uk', true],
    ['Simulate-Delivered-2@Notifications.service.gov.uk', true],
    ['simulate-delivered-3@notifications.service.gov.uk', true],
    ['simulate-delivered-4@notifications.service.gov.uk', false],
  ])('%s: %s', (input, simulated) => {
    expect(isSimulatedEmailAddress(country, normaliseRecipient(phone, input))).toBe(simulated);
  });

  it.each([
    ['07700900003', 'temporary-failure'],
    ['+447700900002', 'permanent-failure'],
    ['07700900001', 'delivered'],
    ['07912345678', 'delivered'],
    ['temp-fail@simulator.notify', 'temporary-failure'],
    ['Perm-Fail@simulator.notify', 'permanent-failure'],
    ['ada@example.com', 'delivered'],
  ])('a message to %s with a test key ends as %s', (input, outcome) => {
    expect(simulatedOutcome(normaliseRecipient(phone, input))).toBe(outcome);
  });

  it.each([
    ['ca', '+1 613-253-2223', true],
    ['us', '(425) 414-7755', true],
    ['au', '0400 900 111', true],
    ['nl', '+44 7700 900000', true],
    ['nl', '+1 613-253-2223', true],
    ['gb', '0400 900 111', false],
    ['ca', 'simulate-delivered-2@notification.canada.ca', true],
    ['au', 'simulate-delivered@notify.gov.au', true],
    ['nl', 'simulate-delivered@notifications.service.gov.uk', true],
    ['gb', 'simulate-delivered@notify.gov.au', false],
    ['au', 'ada@notify.gov.au', false],
  ])('of %s: %s: %s', (code, input, simulated) => {
    const itsCountry = createCountry(builtInCountries[code] ?? gb);
    const normalised = normaliseRecipient(itsCountry.phone, input);
    const isSimulated = input.includes('@') ? isSimulatedEmailAddress : isSimulatedPhoneNumber;
    expect(isSimulated(itsCountry, normalised)).toBe(simulated);
  });
});
