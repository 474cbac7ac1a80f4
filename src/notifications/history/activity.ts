import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { addDays, dayFormat } from '../../countries/calendar.ts';
import type { Country } from '../../countries/country.ts';
import { forApi, t } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { invalid, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { returnToLimits } from '../cancel-messages.ts';
import { type Status, transitions } from '../notification.ts';
import { recordStatusChanges } from '../status.ts';
import { type ActivityRecord, activityRecords } from './activity-record.ts';
import { listNotifications, type NotificationFilter } from './list-notifications.ts';
import { matchingStatuses, type PublicStatus } from './public-notification.ts';
import {
  countSentNotifications,
  type StoredNotification,
  selectNotification,
  selectNotificationsById,
} from './stored-notifications.sql.ts';

type Deps = Platform & { compiledTemplates: CompiledTemplates };

export interface ActivityQuery {
  template_type?: Channel[];
  status?: PublicStatus[];
  limit_days?: number;
  include_jobs?: boolean;
  include_one_off?: boolean;
  job_id?: string;
  include_from_test_key?: boolean;
  to?: string;
  older_than?: string;
  page: number;
  page_size: number;
}

export interface ActivityPage<Row> {
  notifications: Row[];
  page_size: number;
  links: { prev?: boolean; next?: boolean };
}

/** Whether the list may have to scan many messages. The newest messages of a service or file are found at once. */
export function isSearch({ to, status, template_type, page, older_than }: ActivityQuery): boolean {
  return (
    to !== undefined || status !== undefined || template_type !== undefined || page > 1 || older_than !== undefined
  );
}

export async function listActivity(
  app: Deps,
  serviceId: string,
  query: ActivityQuery,
): Promise<ActivityPage<ActivityRecord>> {
  const { ids, ...page } = await findPage(app, serviceId, query);
  return { notifications: await activityRecords(app, await selectNotificationsById(app.db, ids)), ...page };
}

/** Returns the ids of a page, newest first, and whether there are previous and next pages. */
export async function findPage(app: Platform, serviceId: string, query: ActivityQuery) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const { page, page_size } = query;
  const skip = (page - 1) * page_size;
  const wanted = { size: page_size + 1, skip };
  const { ids, isCut } = await listNotifications(app, serviceId, filterOf(app, query), wanted);
  const hasNext = ids.length > page_size || isCut;
  const links = { ...(page > 1 ? { prev: true } : {}), ...(hasNext ? { next: true } : {}) };
  return { ids: ids.slice(0, page_size), page_size, links };
}

function filterOf(app: Platform, query: ActivityQuery): NotificationFilter {
  return {
    types: query.template_type?.length ? query.template_type : undefined,
    statuses: statusesInFilter(query.status),
    key_types: query.include_from_test_key ? undefined : ['normal', 'team'],
    without_one_off: query.include_one_off === false,
    without_jobs: query.include_jobs === false,
    job_id: query.job_id,
    created_since: query.limit_days === undefined ? undefined : timestamp(midnightBefore(app, query.limit_days)),
    words: query.to === undefined ? undefined : wordsOf(query.to),
    older_than: query.older_than,
  };
}

function wordsOf(to: string): NotificationFilter['words'] {
  return { recipient: normaliseSearch(to), reference: to.trim(), job_ids: [] };
}

/** Returns the stored statuses of the filter; undefined for all. In these lists, `failed` also matches the status `failed` itself. */
export function statusesInFilter(given: readonly PublicStatus[] | undefined): Status[] | undefined {
  if (!given?.length) return undefined;
  return given.flatMap((status): Status[] =>
    status === 'failed' ? ['failed', ...matchingStatuses(status)] : matchingStatuses(status),
  );
}

/** Normalises part of a phone number or email address for searching. */
export function normaliseSearch(text: string): string {
  const looksLikeNumber = /^[\d\s()+-]+$/.test(text);
  const number = looksLikeNumber ? text.replaceAll(/\D/g, '').replace(/^0+/, '') : '';
  return number || text.trim().toLowerCase();
}

function midnightBefore({ clock, country: { calendar } }: Platform, days: number): Date {
  return calendar.start(addDays(calendar.day(clock.now()), -days));
}

export async function countActivity(
  app: Deps,
  serviceId: string,
  query: { template_type?: Channel; limit_days: number },
): Promise<number> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const london_day = addDays(app.country.calendar.day(app.clock.now()), -query.limit_days);
  return countSentNotifications(app.db, serviceId, { london_day }, query.template_type);
}

export async function getActivity(app: Deps, serviceId: string, notificationId: string): Promise<ActivityRecord> {
  const stored = await selectNotification(app.db, serviceId, notificationId);
  const [record] = await activityRecords(app, stored ? [stored] : []);
  if (!record) throw notFound();
  return record;
}

/** Cancels a letter, which is only possible until its print run begins. */
export async function cancelLetter(app: Deps, serviceId: string, notificationId: string): Promise<ActivityRecord> {
  const letter = await selectNotification(app.db, serviceId, notificationId);
  if (!letter) throw notFound('Notification not found');
  refuseUnlessLetter(letter);
  refuseIfPrintingBegan(app, letter);
  await inTransaction(app.db, async (tx) => {
    const change = { id: letter.id, status: 'cancelled', event: 'cancelled' } as const;
    const [changed] = await recordStatusChanges(app.country, tx, [change], app.clock.now());
    if (!changed) throw cancelFailure(letter);
    await returnToLimits(app, tx, [changed], app.clock.now());
    const entry = { action: 'update', noun: 'notification', thing_id: letter.id, service_id: serviceId } as const;
    const [before, after] = [{ status: changed.previous_status }, { status: changed.status }];
    await recordAuditEntry(tx, { ...entry, before, after });
  });
  return getActivity(app, serviceId, letter.id);
}

/** Whether `cancelLetter` would succeed now. */
export function canCancelLetter(
  { letterDays }: Country,
  { notification_type, status, created_at }: Pick<ActivityRecord, 'notification_type' | 'status' | 'created_at'>,
  now: Date,
): boolean {
  const mayChange = transitions.cancelled.some((one) => one === status);
  return notification_type === 'letter' && mayChange && now < letterDays.cancelledUntil(new Date(created_at));
}

function refuseUnlessLetter({ notification_type }: StoredNotification): void {
  if (notification_type === 'letter') return;
  throw invalid('Notification cannot be cancelled - only letters can be cancelled');
}

function refuseIfPrintingBegan({ country, clock }: Platform, { created_at }: StoredNotification): void {
  const { calendar, letterDays } = country;
  const until = letterDays.cancelledUntil(new Date(created_at));
  const now = clock.now();
  if (now < until) return;
  const day = calendar.day(until);
  const began = day === calendar.day(now) ? 'today' : `on ${dayAndMonth(day)}`;
  throw invalid(
    `It’s too late to cancel this letter. Printing started ${began} at ${twelveHours(calendar.wallTime(until))}`,
  );
}

/** Formats a time as 5.30pm. */
function twelveHours({ hour, minute }: { hour: number; minute: number }): string {
  const minutes = minute === 0 ? '' : `.${String(minute).padStart(2, '0')}`;
  return `${hour % 12 || 12}${minutes}${hour < 12 ? 'am' : 'pm'}`;
}

function cancelFailure({ status, created_at }: StoredNotification) {
  return invalid(
    status === 'cancelled'
      ? t('This letter has already been cancelled.')
      : forApi(
          `We could not cancel this letter. Letter status: ${status}, created_at: ${created_at}`,
          t('It is too late to cancel this letter.'),
        ),
  );
}

const dayAndMonth = dayFormat({ day: 'numeric', month: 'long' });
