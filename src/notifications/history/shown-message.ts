import { addDays } from '../../countries/calendar.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { retentionDaysOf } from '../../services/settings/data-retention.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { findVersionsOfTemplates } from '../../templates/templates.ts';
import { type ActivityRecord, activityRecords } from './activity-record.ts';
import { type PublicNotification, publicNotification } from './public-notification.ts';
import { type StoredNotification, selectNotification } from './stored-notifications.sql.ts';

export interface ShownMessage {
  record: ActivityRecord;
  /** The response of the public API. */
  response: PublicNotification;
  /** The stored message. Hidden values are replaced, as in `record`. */
  stored: StoredNotification;
  /** Undefined for a message of a job, whose lane depends on the size of the job. */
  lane: string | undefined;
  /** The London day on which its data is deleted. */
  deletion_day: string;
  kept_days: number;
}

/** Returns everything that a member of the service may see about one message. */
export async function getShownMessage(
  app: Platform & { compiledTemplates: CompiledTemplates },
  serviceId: string,
  notificationId: string,
  root: string,
): Promise<ShownMessage> {
  const found = await selectNotification(app.db, serviceId, notificationId);
  if (!found) throw notFound();
  const [record] = await activityRecords(app, [found]);
  if (!record) throw notFound();
  const stored = { ...found, personalisation: record.personalisation, secret_personalisation: null };
  const [version] = await findVersionsOfTemplates(app.db, [{ id: found.template_id, version: found.template_version }]);
  const kept_days = (await retentionDaysOf(app.db, serviceId))[found.notification_type];
  return {
    record,
    response: await publicNotification(app, stored, root),
    stored,
    lane: found.job_id === null ? version?.process_type : undefined,
    deletion_day: addDays(app.country.calendar.day(new Date(found.created_at)), kept_days + 1),
    kept_days,
  };
}
