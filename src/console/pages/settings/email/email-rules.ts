import { invalidField } from '../../../../platform/failure.ts';
import { parseEmailAddress } from '../../../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../../../recipients/phone-number.ts';
import { emailSenderLocalPart, refusalOfServiceName } from '../../../../services/service-name.ts';

/** An address may have 255 characters, with the longest domain. */
const maxLocalPart = 143;
const generic = [
  'admin',
  'contact',
  'email',
  'enquiries',
  'info',
  'mail',
  'no reply',
  'no-reply',
  'noreply',
  'support',
];

export function refuseWrongSenderName(name: string): void {
  const problem = problemOf(name);
  if (problem !== undefined) throw invalidField('custom_name', problem);
}

function problemOf(name: string): string | undefined {
  if (name.includes('@')) return 'Enter a name, not an address.';
  if (/(?!\p{Script=Latin})\p{L}/u.test(name)) return 'Use Latin letters only.';
  if (generic.includes(name.toLowerCase())) return `“${name}” says nothing about the sender. Use a name people know.`;
  if (emailSenderLocalPart(name, null).length > maxLocalPart) return 'The name is too long for an address.';
  return refusalOfServiceName(name);
}

/** People who get a file must be able to ask about it. */
export function refuseWrongContact(contact: string): void {
  const isWebPage = URL.canParse(contact) && /^https?:$/.test(new URL(contact).protocol);
  if (isWebPage || parseEmailAddress(contact).ok || parsePhoneNumber(contact).ok) return;
  throw invalidField('contact', 'Enter the address of a web page with https://, an email address or a phone number.');
}
