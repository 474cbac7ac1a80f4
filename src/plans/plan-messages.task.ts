import type { Platform } from '../platform/platform.ts';
import { defaultRetentionDays, firstKeptId, listRetentionRules } from '../services/settings/data-retention.ts';
import { deleteOldMessages } from './plan-messages.sql.ts';

const batch = 1_000;

/** Deletes messages with a channel plan together with the last of their notifications: after the longest retention of a channel. */
export async function deleteOldPlanMessages({ db, clock, country: { calendar } }: Platform): Promise<void> {
  const now = clock.now();
  const cutOffs = new Map<string, string>();
  const rules = await listRetentionRules(calendar, db, now);
  const defaultCutOff = firstKeptId(calendar, now, defaultRetentionDays);
  for (const { service_id, before_id } of rules) {
    // Channels without a rule of their own have the default retention.
    const isComplete = rules.filter((rule) => rule.service_id === service_id).length === 3;
    const before = cutOffs.get(service_id) ?? (isComplete ? before_id : defaultCutOff);
    const [earliest = before] = [before_id, before].sort();
    cutOffs.set(service_id, earliest);
  }
  for (const [service_id, before_id] of cutOffs) {
    await deleteAll((limit) => deleteOldMessages(db, { service_id }, before_id, limit));
  }
  const others = { except: [...cutOffs.keys()] };
  await deleteAll((limit) => deleteOldMessages(db, others, defaultCutOff, limit));
}

async function deleteAll(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await deleteSome(batch)) === batch);
}
