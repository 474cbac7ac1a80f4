/** Examples in the reference of the API. `test/examples.full.test.ts` sends them and compares the responses. */

const template_id = 'f33517ff-2a88-4f6e-b855-c550268ce08a';
const id = '0199a0a6-51c4-7c55-b0a7-2b9d6a7a4c01';

export const bulkRequest = {
  template_id,
  name: 'Appointments in December',
  rows: [
    ['phone number', 'name', 'day', 'reference'],
    ['07700900123', 'Ada', 'Friday', 'appointment-4711'],
    ['07700900456', 'Grace', 'Monday', 'appointment-4712'],
  ],
};

export const bulkJob = {
  id,
  service: '0199a0a1-7d3e-7c55-b0a7-1f2e3d4c5b6a',
  service_name: { name: 'Demonstration' },
  template: template_id,
  template_version: 1,
  template_name: 'Appointment',
  template_type: 'sms',
  original_file_name: 'Appointments in December',
  notification_count: 2,
  rows_done: 0,
  rows_skipped: 0,
  job_status: 'pending',
  cancelled_because: null,
  created_by: null,
  api_key: { id: '0199a0a1-8a10-7c55-b0a7-0c1d2e3f4a5b', name: 'demo', key_type: 'normal' },
  sender_id: null,
  created_at: '2026-11-15T12:00:00.000000Z',
  updated_at: null,
  processing_started: null,
  processing_finished: null,
  scheduled_for: null,
  archived: false,
  statistics: [],
};

export const problemLine = {
  row: 3,
  recipient: '07700',
  cells: { 'phone number': '07700', name: 'Grace', day: 'Monday', reference: 'appointment-4712' },
  problems: [{ column: 'phone number', problem: 'Mobile number is too short' }],
};

export const bulkCheck = {
  valid: false,
  message: 'Some rows have errors. Row 2 - `phone number`: invalid recipient.',
  notification_count: 2,
  rows_with_problems: 1,
  problem_counts: { 'bad-recipient': 1 },
  rows_shown: [problemLine],
};

export const unsupportedType = {
  status_code: 415,
  errors: [
    {
      error: 'BadRequestError',
      message: 'Content-Type must be one of application/json, text/csv, application/x-ndjson',
    },
  ],
};

export const finishedJob = {
  ...bulkJob,
  rows_done: 2,
  job_status: 'finished',
  updated_at: '2026-11-15T12:00:01.000000Z',
  processing_started: '2026-11-15T12:00:01.000000Z',
  processing_finished: '2026-11-15T12:00:01.000000Z',
  statistics: [{ status: 'created', count: 2 }],
};

export const bulkJobs = {
  bulk_jobs: [finishedJob],
  links: {
    current: 'http://localhost:6011/v2/notifications/bulk',
    next: `http://localhost:6011/v2/notifications/bulk?older_than=${id}`,
  },
};

export const resultLine = {
  row: 1,
  id: '0199a0a6-5f7e-7000-80a7-6d7a3a6f8a11',
  recipient: '07700900123',
  reference: 'appointment-4711',
  status: 'delivered',
  updated_at: '2026-11-15T12:00:02.000000Z',
};

export const cancelledJob = {
  ...bulkJob,
  job_status: 'cancelled',
  updated_at: '2026-11-15T12:00:01.000000Z',
  processing_finished: '2026-11-15T12:00:01.000000Z',
};
