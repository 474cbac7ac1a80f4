import type { Channel } from '../../../protocol/channels.ts';

/** The request, which is the same for the code in every language and for the button on the page. */
export interface ApiRequest {
  channel: Channel;
  template_id: string;
  /** A phone number or email address; for a letter, the lines of its address. */
  to: string;
  values: Record<string, string>;
}

const maxAddressLines = 7;

/** For a letter, the values include the lines of its address. */
export function toPersonalisation({ channel, to, values }: ApiRequest): Record<string, string> {
  if (channel !== 'letter') return values;
  const lines = to
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // Keep an additional line, so that the rules can reject it.
  const addressLines = lines.length > maxAddressLines ? [...lines.slice(0, 6), lines.slice(6).join(', ')] : lines;
  return { ...Object.fromEntries(addressLines.map((line, index) => [`address_line_${index + 1}`, line])), ...values };
}

/** The body of POST /v2/notifications/{channel}. */
export function toBody(request: ApiRequest): Record<string, unknown> {
  const { channel, template_id, to } = request;
  const recipient = channel === 'sms' ? { phone_number: to } : channel === 'email' ? { email_address: to } : {};
  const personalisation = toPersonalisation(request);
  const hasValues = channel === 'letter' || Object.keys(personalisation).length > 0;
  return { template_id, ...recipient, ...(hasValues ? { personalisation } : {}) };
}

/** Whether a placeholder of a letter is filled from its address. */
export function isAddressPlaceholder(channel: Channel | undefined, name: string): boolean {
  return channel === 'letter' && /^(address[ _]?line[ _]?[1-7]|postcode)$/i.test(name);
}
