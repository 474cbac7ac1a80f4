/** `test/examples.full.test.ts` compares these with the actual responses. */

export const newSource = {
  name: 'Appointment',
  type: 'email',
  subject: 'Your appointment on ((day))',
  body: 'Dear ((name)), see you on ((day)).',
  folder: ['Appointments'],
};

export const source = {
  id: 'f33517ff-2a88-4f6e-b855-c550268ce08a',
  ...newSource,
  version: 1,
  postage: null,
  sender_id: null,
  process_type: 'normal',
  has_unsubscribe_link: false,
  letter_welsh_subject: null,
  letter_welsh_body: null,
  archived: false,
};

export const update = { version: 1, body: 'Dear ((name)), we meet on ((day)).' };

export const newManaged = {
  name: 'Reminder',
  template_type: 'sms',
  content: 'Hello ((name)), we meet on ((day)).',
  template_category_id: 'edb966f3-4a4c-47a4-96ab-05ff259b919c',
};

export const managed = {
  id: source.id,
  service_id: '8f4d5fd1-3d0c-4d3b-8c0b-7f3c2c4c5d10',
  service_name: 'Libraries',
  name: newManaged.name,
  type: 'sms',
  created_at: '2026-11-15T12:00:00.000000Z',
  updated_at: null,
  created_by: 'ada@example.org',
  version: 1,
  body: newManaged.content,
  subject: null,
  postage: null,
  template_category_id: newManaged.template_category_id,
  template_category_name: 'Reminder',
  folder_id: null,
  archived: false,
};
