import type { CallbackType } from '../../../services/settings/callback-api.ts';

/** In the order of the page. */
export const callbackNames: Record<CallbackType, { name: string; hint: string }> = {
  delivery_status: { name: 'Delivery status', hint: 'When an email or text was delivered or has failed.' },
  inbound_sms: { name: 'Received text', hint: 'When somebody answers a text.' },
  complaint: { name: 'Complaint', hint: 'When a recipient calls an email spam.' },
  returned_letter: { name: 'Returned letter', hint: 'When the post brings a letter back.' },
};

export const shownCallbackTypes = Object.keys(callbackNames) as CallbackType[];
