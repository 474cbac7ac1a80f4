import { recordOptOutsAtProvider } from '../inbound/opt-outs/opt-outs.ts';
import { forgetAccountValues } from '../notifications/sending/secret-values.ts';
import type { ResultRow } from '../notifications/status-change.shared.sql.ts';
import { hour_ms, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { DomainMailChange } from '../sending-domains/readiness/domain-mail.shared.sql.ts';
import { mailboxOf } from '../sending-domains/readiness/mailboxes.ts';
import { policyCodeIn } from '../sending-domains/readiness/policy-refusals.ts';
import { recordSuppressions } from '../services/suppression/suppression-list.ts';
import type { Result } from './deliver.ts';
import { type HandOver, handOverHealth, nameInHealth } from './failover/provider-health.ts';
import { insertMessageParts, type MessagePart } from './receipts/receipts.sql.ts';
import { type HeldResult, updateResults } from './record-results.sql.ts';

/** `locked`: another transaction has locked the message, so try again. `lost`: another worker holds the message by now. */
export type Recording = 'recorded' | 'locked' | 'lost';

/** Records the statuses, queue entries, health and callbacks of many attempts atomically. Returns what became of each result. */
export async function recordResults(app: Platform, worker: string, results: Result[], now: Date): Promise<Recording[]> {
  const { db, country } = app;
  const first = results.filter(({ isRepeated }) => !isRepeated);
  const health = handOverHealth(first.flatMap(handOvers), first.flatMap(errors), now);
  const parts = results.flatMap(partsOf);
  // Before the results: a part without its message is harmless, and its receipt is retried.
  if (parts.length > 0) await insertMessageParts(db, parts, timestamp(now));
  const failures = results.flatMap(({ failure }) => failure ?? []);
  const unfinished = results.flatMap(({ queued, delivered_at }) =>
    delivered_at ? [{ notification_id: queued.id, look_at: timestamp(delivered_at) }] : [],
  );
  const mail = domainMail(first, now);
  const rows = results.map(rowOf);
  const update = (db: Db) =>
    updateResults(country.calendar, db, { worker, rows, failures, unfinished, health, mail, now });
  const bounced = results.filter(isBounced);
  const stopped = results.filter(({ opted_out }) => opted_out);
  const held =
    bounced.length + stopped.length === 0
      ? await update(db)
      : await updateAndSuppress(app, { bounced, stopped }, update, now);
  const isRecorded = new Map(held.map(({ id, is_recorded }) => [id, is_recorded]));
  const recorded = results.filter(({ queued }) => isRecorded.get(queued.id));
  // The sandbox sends nothing, so its account messages must stay readable through the API of the service.
  const gone = recorded.filter(({ later, provider }) => !later && provider !== 'sandbox').map(({ queued }) => queued);
  await forgetAccountValues(db, gone);
  return results.map(({ queued }) => {
    const known = isRecorded.get(queued.id);
    return known === undefined ? 'lost' : known ? 'recorded' : 'locked';
  });
}

/** The mail server refused the recipient immediately. */
function isBounced({ queued, outcome, change }: Result): boolean {
  return queued.notification_type === 'email' && outcome === 'refused' && change?.status === 'permanent-failure';
}

function updateAndSuppress(
  app: Platform,
  { bounced, stopped }: { bounced: Result[]; stopped: Result[] },
  update: (db: Db) => Promise<HeldResult[]>,
  now: Date,
): Promise<HeldResult[]> {
  return inTransaction(app.db, async (tx) => {
    const held = await update(tx);
    const recorded = new Set(held.flatMap(({ id, is_recorded }) => (is_recorded ? [id] : [])));
    const suppressions = bounced
      .filter(({ queued }) => recorded.has(queued.id))
      .map(({ queued: { id, service_id, normalised_recipient } }) => ({
        ...{ service_id, notification_id: id, email_address: normalised_recipient },
        reason: 'hard-bounce' as const,
      }));
    await recordSuppressions(app, tx, suppressions, now);
    const refused = stopped.flatMap(({ queued: { id, service_id, normalised_recipient, reply_to_text } }) =>
      recorded.has(id) && normalised_recipient !== null
        ? { service_id, user_number: normalised_recipient, sender: reply_to_text }
        : [],
    );
    if (refused.length > 0) await recordOptOutsAtProvider(app, tx, refused, now);
    return held;
  });
}

/**
 * Counts each domain's emails by mailbox provider, and those that a receiver refused because of the domain. A message that is retried is
 * counted once, unless a retry is refused for good.
 */
function domainMail(results: Result[], now: Date): DomainMailChange[] {
  const hour = timestamp(new Date(Math.floor(now.getTime() / hour_ms) * hour_ms));
  const changes = new Map<string, DomainMailChange>();
  for (const { queued, provider, outcome, domain_id, failure } of results) {
    if (domain_id === undefined || provider === 'sandbox') continue;
    const mailbox = outcome === 'accepted' ? mailboxOf(queued.normalised_recipient ?? queued.recipient) : null;
    const isNew = failure && (failure.attempt === 1 || failure.outcome === 'refused');
    const refused_with = (isNew && policyCodeIn(failure.reason)) || null;
    if (mailbox === null && refused_with === null) continue;
    const key = `${domain_id} ${mailbox} ${refused_with}`;
    const { count = 0 } = changes.get(key) ?? {};
    changes.set(key, { domain_id, hour, mailbox, refused_with, count: count + 1 });
  }
  return [...changes.values()];
}

function partsOf({ change, parts = [] }: Result): MessagePart[] {
  const message_reference = change?.provider_reference;
  return message_reference === undefined ? [] : parts.map((reference) => ({ reference, message_reference }));
}

function rowOf({ queued, change, later, domain_id }: Result): ResultRow {
  return {
    ...change,
    id: queued.id,
    ...(domain_id && { sending_domain_id: domain_id }),
    ...(later && { ...later, due_at: timestamp(later.due_at) }),
  };
}

export function handOvers({ queued, provider, outcome, change }: Result): HandOver[] {
  if (outcome !== 'accepted' || !provider || !change?.sent_at) return [];
  const name = nameInHealth(queued.notification_type, provider);
  return [{ provider: name, due: new Date(queued.scheduled_for ?? queued.created_at), sent: change.sent_at }];
}

function errors({ queued, provider, outcome }: Result): string[] {
  return outcome === 'retry' && provider ? [nameInHealth(queued.notification_type, provider)] : [];
}
