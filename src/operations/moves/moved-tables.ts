/** A table with rows about the messages of one service. */
export interface MovedTable {
  name: string;
  /** For a table without `service_id`: its column `own` refers to `column` of a table that has it. */
  parent?: { table: string; column: string; own: string };
  /** An SQL condition: these rows would be counted, sent or timed out by both stores, so they are moved at the switch. */
  atSwitch?: string;
  /** SQL conditions that make an index usable to read the rows of one service. Together they are true for every row. */
  parts?: readonly string[];
  /** Fewer than usual where rows are large. */
  rowsAtOnce?: number;
}

const ofNotification = { table: 'notifications', column: 'id', own: 'notification_id' };
const all = 'true';

/** In an order in which rows can be inserted: a table comes after those that its rows refer to. */
export const movedTables: readonly MovedTable[] = [
  { name: 'notifications', parts: ['job_id is null', 'job_id is not null'] },
  { name: 'failed_attempts', parent: ofNotification },
  { name: 'letter_files', parent: ofNotification },
  { name: 'message_traces', parent: ofNotification },
  {
    name: 'message_parts',
    parent: { table: 'notifications', column: 'provider_reference', own: 'message_reference' },
  },
  {
    name: 'sandbox_messages',
    parent: { ...ofNotification, own: 'reference' },
    atSwitch: 'receipt_due_at is not null',
  },
  { name: 'unfinished_messages', parent: ofNotification, atSwitch: all },
  { name: 'letter_despatches' },
  { name: 'printed_letters' },
  { name: 'returned_letters' },
  { name: 'uploaded_letters' },
  { name: 'complaints' },
  { name: 'contact_lists' },
  { name: 'documents' },
  { name: 'document_attempts', parent: { table: 'documents', column: 'id', own: 'document_id' } },
  { name: 'idempotency_keys' },
  { name: 'inbound_sms' },
  { name: 'received_parts' },
  { name: 'jobs' },
  { name: 'job_status_counts', parent: { table: 'jobs', column: 'id', own: 'job_id' }, atSwitch: all },
  { name: 'uploads' },
  { name: 'upload_chunks', parent: { table: 'uploads', column: 'id', own: 'upload_id' }, rowsAtOnce: 20 },
  { name: 'refused_requests' },
  { name: 'report_requests' },
  { name: 'suppressed_recipients' },
  { name: 'unsubscribe_reports' },
  { name: 'unsubscribe_requests' },
  { name: 'service_callbacks', atSwitch: `status = 'waiting'` },
  { name: 'daily_message_counts', atSwitch: all },
  { name: 'rate_windows', atSwitch: all },
  { name: 'daily_status_counts', atSwitch: all },
  { name: 'daily_usage', atSwitch: all },
  { name: 'service_status_spans', atSwitch: all },
  { name: 'service_usage_spans', atSwitch: all },
  { name: 'template_status_totals', atSwitch: all },
];

/** Rollups are written by adding up what others appended. While a service is closed nothing of it is appended. */
export const rollupTables: readonly string[] = [
  'job_status_counts',
  'daily_status_counts',
  'daily_usage',
  'service_status_spans',
  'service_usage_spans',
  'template_status_totals',
];
