/**
 * Examples in the reference of the public API. They use the templates created at first start. `test/examples.full.test.ts` sends them and
 * compares the responses.
 */

const server = 'http://localhost:6011';
const service_id = '0199a0a1-7d3e-7c55-b0a7-1f2e3d4c5b6a';
const template_id = 'f33517ff-2a88-4f6e-b855-c550268ce08a';
const id = '0199a0a4-2f0b-7c55-b0a7-6d7a3a6f8a11';
const reference = 'appointment-4711';

export const smsRequest = {
  phone_number: '07700900123',
  template_id,
  personalisation: { name: 'Ada', day: 'Friday' },
  reference,
};

export const emailRequest = {
  email_address: 'ada@example.org',
  template_id,
  personalisation: { name: 'Ada' },
  one_click_unsubscribe_url: 'https://example.org/unsubscribe?token=4711',
};

export const letterRequest = {
  template_id,
  personalisation: {
    address_line_1: 'Ada Lovelace',
    address_line_2: '12 St James’s Square',
    address_line_3: 'SW1Y 4JH',
    name: 'Ada',
    day: '1 December',
  },
};

/** The content is the header of a PDF. */
export const precompiledLetterRequest = { reference: 'letter-4711', content: 'JVBERi0xLjcK', postage: 'second' };

const commonResponse = {
  id,
  reference: null,
  uri: `${server}/v2/notifications/${id}`,
  template: { id: template_id, version: 1, uri: `${server}/services/${service_id}/templates/${template_id}` },
  scheduled_for: null,
};

export const smsResponse = {
  ...commonResponse,
  reference,
  content: { body: 'Hello Ada, see you on Friday.', from_number: '447700900900' },
};

export const emailResponse = {
  ...commonResponse,
  content: {
    from_email: 'demonstration@notifications.example',
    subject: 'Welcome, Ada',
    body: '# Hello Ada\n\nThank you for joining us.\n\n* read the guide\n* send something',
    one_click_unsubscribe_url: 'https://example.org/unsubscribe?token=4711',
  },
  sanitised_content: {},
};

export const letterResponse = {
  ...commonResponse,
  content: { subject: 'A reminder', body: 'Dear Ada\n\nPlease call us by 1 December.' },
};

export const precompiledLetterResponse = { id, reference: 'letter-4711', postage: 'second' };

export const notification = {
  id,
  reference,
  email_address: null,
  phone_number: '07700900123',
  line_1: null,
  line_2: null,
  line_3: null,
  line_4: null,
  line_5: null,
  line_6: null,
  postcode: null,
  postage: null,
  type: 'sms',
  status: 'delivered',
  status_description: 'Delivered',
  provider_response: null,
  template: { id: template_id, version: 1, uri: `${server}/v2/template/${template_id}/version/1` },
  body: 'Hello Ada, see you on Friday.',
  subject: null,
  created_at: '2026-11-15T12:00:00.000000Z',
  created_by_name: null,
  sent_at: '2026-11-15T12:00:01.000000Z',
  completed_at: '2026-11-15T12:00:02.000000Z',
  scheduled_for: null,
  one_click_unsubscribe_url: null,
  cost_in_pounds: 0.024,
  is_cost_data_ready: true,
  cost_details: { billable_sms_fragments: 1, international_rate_multiplier: 1, sms_rate: 0.024 },
};

export const notifications = {
  notifications: [notification],
  links: {
    current: `${server}/v2/notifications?reference=${reference}`,
    next: `${server}/v2/notifications?older_than=${id}&reference=${reference}`,
  },
};
