// Recipients that stand for an outcome, so that callers can try their integration without reaching anybody.
// All functions take the normalised form.

const SIMULATED_PHONE_NUMBERS = new Set(['447700900000', '447700900111', '447700900222']);

const SIMULATED_EMAIL_ADDRESSES = new Set([
  'simulate-delivered@notifications.service.gov.uk',
  'simulate-delivered-2@notifications.service.gov.uk',
  'simulate-delivered-3@notifications.service.gov.uk',
]);

/** Checked and answered like any other, but never stored, sent or counted, whatever the key. */
export function isSimulatedPhoneNumber(normalised: string): boolean {
  return SIMULATED_PHONE_NUMBERS.has(normalised);
}

/** As `isSimulatedPhoneNumber`. */
export function isSimulatedEmailAddress(normalised: string): boolean {
  return SIMULATED_EMAIL_ADDRESSES.has(normalised);
}

/** How a message sent with a test key ends. */
export function simulatedOutcome(normalised: string): 'delivered' | 'temporary-failure' | 'permanent-failure' {
  if (normalised.endsWith('7700900003') || normalised === 'temp-fail@simulator.notify') return 'temporary-failure';
  if (normalised.endsWith('7700900002') || normalised === 'perm-fail@simulator.notify') return 'permanent-failure';
  return 'delivered';
}
