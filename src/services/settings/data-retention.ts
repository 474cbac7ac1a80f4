import { addDays, type Calendar } from '../../countries/calendar.ts';
import { timestamp } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { notFound } from '../../platform/failure.ts';
import { firstIdAt, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import {
  insertRetention,
  selectRetentionRules,
  selectRetentions,
  updateRetentionDays,
  upsertRetention,
} from './data-retention.sql.ts';

export async function listRetentions(db: Db, serviceId: string) {
  await refuseUnlessExists(db, 'services', serviceId);
  return selectRetentions(db, serviceId);
}

export async function findRetention(db: Db, serviceId: string, which: { id: string } | { notification_type: Channel }) {
  await refuseUnlessExists(db, 'services', serviceId);
  return (await selectRetentions(db, serviceId, which))[0];
}

export async function createRetention(
  { db, clock }: Platform,
  serviceId: string,
  request: { notification_type: Channel; days_of_retention: number },
) {
  const now = clock.now();
  const id = newId(now);
  await insertRetention(db, { ...request, id, service_id: serviceId, created_at: timestamp(now) });
  return findRetention(db, serviceId, { id });
}

export async function updateRetention(
  { db, clock }: Platform,
  serviceId: string,
  id: string,
  days: number,
): Promise<void> {
  const change = { days_of_retention: days, updated_at: timestamp(clock.now()) };
  if (!(await updateRetentionDays(db, { id, service_id: serviceId }, change))) {
    throw notFound(`The service data retention for id: ${id} was not found for service: ${serviceId}`);
  }
}

/** Creates or updates the rule of a channel. */
export async function setRetention(
  { db, clock }: Platform,
  serviceId: string,
  rule: { notification_type: Channel; days_of_retention: number },
): Promise<void> {
  const now = clock.now();
  await upsertRetention(db, { ...rule, id: newId(now), service_id: serviceId, created_at: timestamp(now) });
}

/** Applies to services without their own rule. */
export const defaultRetentionDays = 7;

/** Returns the smallest id that is kept. Days of retention are counted back from the start of today. */
export function firstKeptId(calendar: Calendar, now: Date, days: number): string {
  return firstIdAt(calendar.start(addDays(calendar.day(now), -days)));
}

/** Lists the rules of every service. Messages with ids below `before_id` are no longer kept. */
export async function listRetentionRules(calendar: Calendar, db: Db, now: Date) {
  const rules = await selectRetentionRules(db);
  return rules.map((rule) => ({ ...rule, before_id: firstKeptId(calendar, now, rule.days_of_retention) }));
}

/** Returns how long a service keeps its messages of each channel. */
export async function retentionDaysOf(db: Db, serviceId: string): Promise<Record<Channel, number>> {
  const days = { email: defaultRetentionDays, sms: defaultRetentionDays, letter: defaultRetentionDays };
  for (const rule of await selectRetentions(db, serviceId))
    days[rule.notification_type as Channel] = rule.days_of_retention;
  return days;
}
