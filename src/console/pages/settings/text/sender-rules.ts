import { invalidField } from '../../../../platform/failure.ts';
import { checkPhonePermissions, parsePhoneNumber } from '../../../../recipients/phone-number.ts';
import { isProtectedSenderId } from '../../../../services/senders/senders.ts';
import type { TextSenderSettings } from '../../../../services/settings.ts';

/** Recipients could take these for warnings of their phone or bank. */
const misleading = ['alert', 'info', 'verify'];

/** What a phone can show as the sender of a text, and networks accept. */
export function refuseWrongSender(config: { sms: TextSenderSettings }, sender: string): void {
  const problem = problemOf(config, sender);
  if (problem !== undefined) throw invalidField('value', problem);
}

function problemOf(config: { sms: TextSenderSettings }, sender: string): string | undefined {
  if (sender.length < 3) return 'Enter at least 3 characters.';
  if (sender.length > 11) return 'Enter at most 11 characters.';
  if (!/^[A-Za-z0-9 .&_'-]+$/.test(sender)) return 'Use letters, digits and spaces only.';
  if (sender.startsWith('00')) return 'A sender cannot begin with 00.';
  if (misleading.includes(sender.toLowerCase())) return `${sender} misleads people. Use the name of your service.`;
  if (/^\d+$/.test(sender) && !isShortCode(sender) && !isMobileNumber(sender)) {
    return 'A number must be a UK mobile number or a short code of 5 or 6 digits.';
  }
  if (isProtectedSenderId(config, sender)) return `${sender} is the name of another organisation.`;
  return undefined;
}

function isShortCode(digits: string): boolean {
  return /^[678]\d{4,5}$/.test(digits);
}

function isMobileNumber(digits: string): boolean {
  const parsed = parsePhoneNumber(digits);
  return parsed.ok && checkPhonePermissions(parsed.number, { international: false, landline: false }) === undefined;
}
