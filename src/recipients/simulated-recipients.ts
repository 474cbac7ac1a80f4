// Recipients with a fixed outcome, so that callers can test their integration without contacting anyone. All functions
// take the normalised form.

const simulatedPhoneNumbers = new Set(['447700900000', '447700900111', '447700900222']);

const simulatedEmailAddresses = new Set([
  'simulate-delivered@notifications.service.gov.uk',
  'simulate-delivered-2@notifications.service.gov.uk',
  'simulate-delivered-3@notifications.service.gov.uk',
]);

/** Validated and accepted like any other, but never stored, sent or counted, regardless of the key. Rows of a job are. */
export function isSimulatedPhoneNumber(normalised: string): boolean {
  return simulatedPhoneNumbers.has(normalised);
}

/** Like `isSimulatedPhoneNumber`. */
export function isSimulatedEmailAddress(normalised: string): boolean {
  return simulatedEmailAddresses.has(normalised);
}

/** How a message sent with a test key ends. */
export function simulatedOutcome(normalised: string): 'delivered' | 'temporary-failure' | 'permanent-failure' {
  if (normalised.endsWith('7700900003') || normalised === 'temp-fail@simulator.notify') return 'temporary-failure';
  if (normalised.endsWith('7700900002') || normalised === 'perm-fail@simulator.notify') return 'permanent-failure';
  return 'delivered';
}
