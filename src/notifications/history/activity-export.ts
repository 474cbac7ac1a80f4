import { type Static, Type } from 'typebox';
import type { Calendar } from '../../countries/calendar.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { LondonTime, Nullable, Uuid } from '../../protocol/fields.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import type { Status } from '../notification.ts';
import { type ActivityPage, type ActivityQuery, findPage } from './activity.ts';
import { type ActivityRecord, activityRecords } from './activity-record.ts';
import { type MessageRow, selectMessageRows } from './message-rows.sql.ts';
import { type Page, selectIdsOfJob, selectNotificationsById } from './stored-notifications.sql.ts';

/** A row of the spreadsheet download of the front end; `id` is the cursor of the next page. */
export const ExportRow = Type.Object({
  id: Uuid,
  row_number: Type.Unsafe<number | ''>({
    type: ['integer', 'string'],
    description: 'The row of its file, from 1; empty for a single message',
  }),
  recipient: Type.String(),
  client_reference: Type.String(),
  template_name: Type.String(),
  template_type: Type.String(),
  job_name: Type.String(),
  status: Type.String(),
  created_at: LondonTime,
  created_by_name: Nullable(Type.String()),
  created_by_email_address: Nullable(Type.String()),
  api_key_name: Nullable(Type.String()),
});

export type ExportRow = Static<typeof ExportRow>;

export async function exportActivity(
  app: Platform,
  serviceId: string,
  query: ActivityQuery,
): Promise<ActivityPage<ExportRow>> {
  const { ids, ...page } = await findPage(app, serviceId, query);
  return { notifications: await exportRows(app, ids, 'desc'), ...page };
}

async function exportRows(
  { db, country: { calendar } }: Platform,
  ids: readonly string[],
  order: 'asc' | 'desc',
): Promise<ExportRow[]> {
  return (await selectMessageRows(db, ids, order)).map((row) => exportRow(calendar, row));
}

function exportRow(calendar: Calendar, stored: MessageRow): ExportRow {
  return {
    id: stored.shown_id,
    row_number: stored.job_row_number === null ? '' : stored.job_row_number + 1,
    recipient: stored.recipient,
    client_reference: stored.client_reference ?? '',
    template_name: stored.template_name,
    template_type: stored.notification_type,
    job_name: stored.job_name ?? '',
    status: statusLabel(stored.notification_type, stored.status),
    created_at: calendar.time(new Date(stored.created_at)),
    created_by_name: stored.created_by_name,
    created_by_email_address: stored.created_by_email_address,
    api_key_name: stored.api_key_name,
  };
}

const commonLabels: Partial<Record<Status, string>> = {
  failed: 'Failed',
  'technical-failure': 'Technical failure',
  delivered: 'Delivered',
  sent: 'Delivered',
  sending: 'Sending',
  created: 'Sending',
  pending: 'Sending',
  cancelled: 'Cancelled',
};

const labelsByType: Record<Channel, Partial<Record<Status, string>>> = {
  email: {
    'temporary-failure': 'Inbox not accepting messages right now',
    'permanent-failure': 'Email address doesn’t exist',
  },
  sms: {
    'temporary-failure': 'Phone not accepting messages right now',
    'permanent-failure': 'Phone number doesn’t exist',
    sent: 'Sent internationally',
  },
  letter: {
    'permanent-failure': 'Permanent failure',
    created: 'Accepted',
    sending: 'Accepted',
    delivered: 'Received',
    'returned-letter': 'Returned',
    'pending-virus-check': 'Pending virus check',
    'validation-failed': 'Validation failed',
    'virus-scan-failed': 'Virus detected',
  },
};

export function statusLabel(type: Channel, status: Status): string {
  return labelsByType[type][status] ?? commonLabels[status] ?? status;
}

type Deps = Platform & { compiledTemplates: CompiledTemplates };

interface MessagesOfJob {
  job_id: string;
  statuses: Status[] | undefined;
}

/** Lists the messages of a job in the order of its file. */
export async function listJobActivity(
  app: Deps,
  serviceId: string,
  which: MessagesOfJob,
  page: Page,
): Promise<ActivityRecord[]> {
  const ids = await selectIdsOfJob(app.db, serviceId, which, page, 'asc');
  return activityRecords(app, await selectNotificationsById(app.db, ids, 'asc'));
}

/** The same as rows of a spreadsheet. */
export async function exportJobActivity(
  app: Platform,
  serviceId: string,
  which: MessagesOfJob,
  page: Page,
): Promise<ExportRow[]> {
  return exportRows(app, await selectIdsOfJob(app.db, serviceId, which, page, 'asc'), 'asc');
}
