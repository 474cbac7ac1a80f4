/** `test/examples.test.ts` compares these with the actual responses. */

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
