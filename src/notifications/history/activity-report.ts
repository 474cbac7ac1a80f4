import { londonTime } from '../../platform/calendar.ts';
import { csvLine } from '../../platform/http/csv.ts';
import type { Platform } from '../../platform/platform.ts';
import { statusLabel } from './activity-export.ts';
import { type MessageFilter, type MessageRow, selectMessageRows } from './message-rows.sql.ts';

const header = [
  'Recipient',
  'Reference',
  'Template',
  'Type',
  'Sent by',
  'Sent by email',
  'Job',
  'Status',
  'Time',
  'API key name',
];

const messagesAtOnce = 2_500;

/** Messages of a service as CSV, newest first, without a connection in between. */
export async function* reportActivity(
  { db }: Pick<Platform, 'db'>,
  serviceId: string,
  filter: MessageFilter,
  { first_id, end_id }: { first_id: string; end_id: string },
): AsyncGenerator<string> {
  yield csvLine(header);
  for (let before: string | null = end_id; before !== null; ) {
    const range = { first_id, end_id: before };
    const { rows, next } = await selectMessageRows(db, serviceId, filter, range, { size: messagesAtOnce });
    if (rows.length > 0) yield rows.map(line).join('');
    before = next;
  }
}

function line({ notification_type, ...message }: MessageRow): string {
  const [firstLine = ''] = message.recipient.split(/\r?\n/, 1);
  return csvLine([
    notification_type === 'letter' ? firstLine : message.recipient,
    message.client_reference,
    message.template_name,
    notification_type,
    message.created_by_name,
    message.created_by_email_address,
    message.job_name,
    statusLabel(notification_type, message.status),
    londonTime(new Date(message.created_at)),
    message.api_key_name,
  ]);
}
