import { RowWriter } from '../platform/db/row-writer.ts';
import type { NewNotification } from './notification.ts';

/** A notification that is serialised for the statement that stores it. It is prepared in advance, so that a commit only joins the rows. */
export type NotificationRow = Buffer & { readonly kind: 'notification row' };

/** Values are written by position. The order is that of the type notification_to_store in migrations/0013_notifications.sql. */
const columns = 27;
const sharedWriter = new RowWriter();

/** Writes the columns of the type notification_to_store. Returns undefined if the database cannot store a text. */
export function rowOf(notification: NewNotification, writer = sharedWriter): NotificationRow | undefined {
  const { created_at, due_at } = notification;
  writer.begin(columns);
  writer.uuid(notification.id);
  writer.uuid(notification.service_id);
  writer.uuid(notification.template_id);
  writer.int4(notification.template_version);
  writer.text(notification.notification_type);
  writer.text(notification.key_type);
  writer.uuid(notification.api_key_id);
  writer.uuid(notification.created_by_id);
  writer.text(notification.status);
  writer.text(notification.client_reference);
  writer.text(notification.recipient);
  writer.text(notification.normalised_recipient);
  writer.jsonb(notification.personalisation);
  writer.text(notification.reply_to_text);
  writer.text(notification.postage);
  writer.boolean(notification.international);
  writer.int2(notification.rate_multiplier);
  writer.text(notification.one_click_unsubscribe_url);
  writer.timestamptz(notification.scheduled_for);
  writer.timestamptz(created_at);
  writer.uuid(notification.job_id ?? null);
  writer.int4(notification.job_row_number ?? null);
  writer.int2(notification.lane);
  writer.timestamptz(due_at === created_at ? null : due_at);
  writer.text(notification.language ?? null);
  // Set later, when the messages of a commit are numbered.
  writer.int4(0);
  writer.int4(0);
  const row = writer.end() as NotificationRow;
  return writer.isStorable ? row : undefined;
}

/** Sets the last two columns: the sequence numbers within the daily limits; 0 if a limit does not apply. */
export function setSequence(row: NotificationRow, sequence: number, international_sequence: number): void {
  row.writeInt32BE(sequence, row.length - 16);
  row.writeInt32BE(international_sequence, row.length - 4);
}
