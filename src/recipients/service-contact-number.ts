import { type PhoneNumberReason, parsePhoneNumber } from './phone-number.ts';
import { removeWhitespace } from './whitespace.ts';

const emergencyNumbers = new Set(['999', '112']);
const threeDigits = /^(?:(?:\+|00)44)?0*([1-9][0-9]{2})$/;

/** A number printed in a message for people to call: unlike a recipient, it may be a short one such as 111. */
export function checkServiceContactNumber(
  input: string,
): PhoneNumberReason | 'unsupported_emergency_number' | undefined {
  const short = threeDigits.exec(removeWhitespace(input))?.[1];
  if (short) return emergencyNumbers.has(short) ? 'unsupported_emergency_number' : undefined;
  const result = parsePhoneNumber(input);
  return result.ok ? undefined : result.reason;
}
