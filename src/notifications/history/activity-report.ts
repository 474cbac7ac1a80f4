import { londonTime } from '../../platform/calendar.ts';
import { csvLine } from '../../platform/http/csv.ts';
import type { Platform } from '../../platform/platform.ts';
import { statusLabel } from './activity-export.ts';
import { findMessages } from './find-messages.ts';
import { type IdRange, type MessageFilter, type MessageRow, selectMessageRows } from './message-rows.sql.ts';
import type { DayCount } from './search-messages.sql.ts';

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
/** Where few match, a statement reads more messages. */
const readAtOnce = 20_000;

/** Messages of a service as CSV, newest first, without a connection in between. */
export async function* reportActivity(
  { db }: Platform,
  serviceId: string,
  filter: MessageFilter,
  range: IdRange,
  /** Days with such messages, if they are known: others are not read. */
  days?: readonly DayCount[],
): AsyncGenerator<string> {
  yield csvLine(header);
  for (let before: string | undefined = range.end_id; before !== undefined; ) {
    const known = days && { days };
    const wanted = { size: messagesAtOnce, known, mayReadOn: (read: number) => read < readAtOnce };
    const { ids, stoppedAt } = await findMessages(db, serviceId, filter, { ...range, end_id: before }, wanted);
    const rows = await selectMessageRows(db, ids);
    // An empty part, too: a download that was cancelled ends at the next part, and all messages may be read before one matches.
    yield rows.map(line).join('');
    before = stoppedAt ?? (ids.length < messagesAtOnce ? undefined : ids.at(-1));
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
