import { type Static, Type } from 'typebox';
import { londonTime } from '../../platform/calendar.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { LondonTime, Nullable, Uuid } from '../../protocol/fields.ts';
import type { TemplateRow } from '../../templates/template-row.ts';
import type { Status } from '../notification.ts';
import { type ActivityPage, type ActivityQuery, findPage } from './activity.ts';
import { templatesOf } from './activity-templates.ts';
import type { StoredNotification } from './stored-notifications.sql.ts';

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
  const { rows, ...page } = await findPage(app, serviceId, query);
  return { notifications: await exportRows(app, rows), ...page };
}

export async function exportRows(app: Platform, rows: StoredNotification[]): Promise<ExportRow[]> {
  const templateOf = await templatesOf(app, rows);
  return rows.map((stored) => exportRow(stored, templateOf(stored)));
}

function exportRow(stored: StoredNotification, template: TemplateRow): ExportRow {
  return {
    id: stored.shown_id,
    row_number: stored.job_row_number === null ? '' : stored.job_row_number + 1,
    recipient: stored.recipient,
    client_reference: stored.client_reference ?? '',
    template_name: template.name,
    template_type: template.template_type,
    job_name: stored.job_name ?? '',
    status: statusLabel(stored.notification_type, stored.status),
    created_at: londonTime(new Date(stored.created_at)),
    created_by_name: stored.created_by_name,
    created_by_email_address: stored.created_by_email_address,
    api_key_name: stored.key_name,
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

/** The status in words. */
export function statusLabel(type: Channel, status: Status): string {
  return labelsByType[type][status] ?? commonLabels[status] ?? status;
}
