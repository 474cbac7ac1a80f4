import { describe, expect, it } from 'vitest';
import { gb } from '../countries/gb.ts';
import { PhoneRules } from '../countries/phone-rules.ts';
import { isSimulatedEmailAddress, isSimulatedPhoneNumber, normaliseRecipient, simulatedOutcome } from './recipient.ts';

const phone = new PhoneRules(gb.phone);

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
    expect(isSimulatedPhoneNumber(normaliseRecipient(phone, input))).toBe(true);
  });

  it.each(['07700900001', '07912345678', ''])('%j is not simulated', (input) => {
    expect(isSimulatedPhoneNumber(normaliseRecipient(phone, input))).toBe(false);
  });

  it.each([
    ['simulate-delivered@notifications.service.gov.uk', true],
    ['Simulate-Delivered-2@Notifications.service.gov.uk', true],
    ['simulate-delivered-3@notifications.service.gov.uk', true],
    ['simulate-delivered-4@notifications.service.gov.uk', false],
  ])('%s: %s', (input, simulated) => {
    expect(isSimulatedEmailAddress(normaliseRecipient(phone, input))).toBe(simulated);
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
});
