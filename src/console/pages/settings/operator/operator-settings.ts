import type { Channel } from '../../../../protocol/channels.ts';

export const channelNames: Record<Channel, string> = { email: 'Emails', sms: 'Texts', letter: 'Letters' };

/** Numbers that the operator sets. */
export const limitSettings = [
  { path: 'operator/email-limit', field: 'email_message_limit', title: 'Emails a day', hint: '' },
  { path: 'operator/text-limit', field: 'sms_message_limit', title: 'Texts a day', hint: '' },
  { path: 'operator/letter-limit', field: 'letter_message_limit', title: 'Letters a day', hint: '' },
  {
    path: 'operator/abroad-limit',
    field: 'international_sms_message_limit',
    title: 'Texts abroad a day',
    hint: 'They count as texts, too.',
  },
  {
    path: 'operator/rate-limit',
    field: 'rate_limit',
    title: 'Requests a minute',
    hint: 'Of all keys of one kind together.',
  },
] as const;

/** Texts about the service that only operators see. */
export const textSettings = [
  { path: 'operator/notes', field: 'notes', title: 'Notes', maxLength: 10_000 },
  { path: 'operator/billing-names', field: 'billing_contact_names', title: 'Billing contacts', maxLength: 2_000 },
  {
    path: 'operator/billing-addresses',
    field: 'billing_contact_email_addresses',
    title: 'Email addresses of billing contacts',
    maxLength: 2_000,
  },
  { path: 'operator/purchase-order', field: 'purchase_order_number', title: 'Purchase order number', maxLength: 255 },
  { path: 'operator/billing-reference', field: 'billing_reference', title: 'Billing reference', maxLength: 255 },
] as const;
