import type { Country } from '../../countries/country.ts';
import { day_ms, earlier, timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import { firstIdAt, newId } from '../../platform/id.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Platform } from '../../platform/platform.ts';
import { parseEmailAddress, spellingsOf } from '../../recipients/email-address.ts';
import { refusedEmailAddress } from '../../recipients/recipient-texts.ts';
import {
  deleteSuppressionsOf,
  insertSuppressions,
  type NewSuppression,
  type SuppressedRecipient,
  type SuppressionReason,
  selectBouncesOfGuarded,
  selectSuppressed,
  selectSuppression,
  selectSuppressions,
  selectSuppressionsOf,
} from './suppression-list.sql.ts';

export type { SuppressedRecipient, SuppressionReason } from './suppression-list.sql.ts';

/** Services without this permission have no list and cost no lookup. */
export const suppressRecipients = 'suppress_recipients';

interface Suppression extends Omit<NewSuppression, 'id' | 'email_address'> {
  /** Normalised; null if the recipient was erased. */
  email_address: string | null;
}

/**
 * Adds addresses to the lists of their services, in the transaction that records the bounce, complaint or unsubscription. An existing entry
 * keeps its first reason. Ignores services without a list and messages of test keys.
 */
export async function recordSuppressions(
  { metrics }: Pick<Platform, 'metrics'>,
  tx: Tx,
  suppressions: Suppression[],
  now: Date,
): Promise<void> {
  const rows = suppressions.flatMap(({ email_address, ...row }) =>
    email_address === null ? [] : { ...row, email_address: spellingsOf(email_address)[0], id: newId(now) },
  );
  if (rows.length === 0) return;
  for (const reason of await insertSuppressions(tx, rows, timestamp(now))) addedEntries(metrics).inc({ reason });
}

/** The guard counts by hour of hand-over, and a message may have waited before that. */
const bouncesSince_ms = 2 * day_ms;
const rowsPerStatement = 1_000;

/**
 * Called when a list is switched on. If the guard has warned or paused the service, its recent bounces go on the list at once, so that its
 * next file has fewer.
 */
export async function addRecentBounces(
  app: Pick<Platform, 'metrics'>,
  tx: Tx,
  service_id: string,
  now: Date,
): Promise<void> {
  const bounces = await selectBouncesOfGuarded(tx, service_id, firstIdAt(earlier(now, bouncesSince_ms)));
  for (let from = 0; from < bounces.length; from += rowsPerStatement) {
    const part = bounces.slice(from, from + rowsPerStatement);
    const rows = part.map((bounce) => ({ ...bounce, service_id, reason: 'hard-bounce' as const }));
    await recordSuppressions(app, tx, rows, now);
  }
}

function addedEntries(metrics: Metrics) {
  return metrics.counter('suppressed_recipients_added_total', 'Addresses added to suppression lists', ['reason']);
}

/** Counts emails that were not sent because their recipient is on the list. */
export function countRefusedSends({ metrics }: Platform, reasons: SuppressionReason[]): void {
  const refused = metrics.counter('suppressed_sends_total', 'Emails not sent: their recipient is suppressed', [
    'reason',
  ]);
  for (const reason of reasons) refused.inc({ reason });
}

/** Returns the entries of those normalised addresses that are on the list, by address as it was given. */
export async function findSuppressed(
  db: Db | Tx,
  serviceId: string,
  emailAddresses: readonly string[],
): Promise<Map<string, SuppressedRecipient>> {
  const spellings = emailAddresses.map((address) => ({ address, all: spellingsOf(address) }));
  const found = await selectSuppressed(
    db,
    serviceId,
    spellings.flatMap(({ all }) => all),
  );
  const entries = new Map(found.map((entry) => [entry.email_address, entry]));
  return new Map(
    spellings.flatMap(({ address, all }) => {
      const entry = all.flatMap((spelling) => entries.get(spelling) ?? [])[0];
      return entry ? [[address, entry]] : [];
    }),
  );
}

const whatHappened: Record<SuppressionReason, string> = {
  'hard-bounce': 'an email to it bounced',
  complaint: 'the recipient reported an email as spam',
  unsubscribe: 'the recipient unsubscribed',
};

/** Says why an email is refused and what to do. */
export function refusalText({ calendar }: Country, { reason, created_at }: SuppressedRecipient): string {
  const day = calendar.longDate(new Date(created_at));
  return `Can’t send to this recipient: ${whatHappened[reason]} on ${day}. Remove the address from the suppression list to send again.`;
}

const suppressionPageSize = 250;

/** Returns one page, newest first, and whether there are older entries. */
export async function listSuppressions(
  db: Db,
  serviceId: string,
  { older_than, size = suppressionPageSize }: { older_than?: string | undefined; size?: number } = {},
): Promise<{ entries: SuppressedRecipient[]; hasOlder: boolean }> {
  await refuseUnlessExists(db, 'services', serviceId);
  const found = await selectSuppressions(db, serviceId, { size: size + 1, older_than });
  return { entries: found.slice(0, size), hasOlder: found.length > size };
}

/** Yields all entries, page by page. */
export async function* allSuppressions(app: Platform, serviceId: string): AsyncGenerator<SuppressedRecipient[]> {
  for (let older_than: string | undefined; ; ) {
    const { entries, hasOlder } = await listSuppressions(app.db, serviceId, { older_than, size: 1_000 });
    yield entries;
    if (!hasOlder) return;
    older_than = entries.at(-1)?.id;
  }
}

export async function getSuppression(db: Db, serviceId: string, id: string): Promise<SuppressedRecipient> {
  const found = await selectSuppression(db, serviceId, id);
  if (!found) throw notFound();
  return found;
}

/** Finds the entry of an address in any spelling. */
export async function findSuppression(
  db: Db,
  serviceId: string,
  emailAddress: string,
): Promise<SuppressedRecipient | undefined> {
  const [found] = await selectSuppressed(db, serviceId, spellingsOf(normalised(emailAddress)));
  return found;
}

/** Removes the entry, so that the service can send to the address again. Returns the normalised address. */
export async function liftSuppression({ db }: Platform, serviceId: string, emailAddress: string): Promise<string> {
  await refuseUnlessExists(db, 'services', serviceId);
  const address = normalised(emailAddress);
  const lifted = await deleteSuppressionsOf(db, spellingsOf(address), serviceId);
  if (lifted === 0) throw notFound('This address is not on the suppression list');
  return address;
}

function normalised(emailAddress: string): string {
  const parsed = parseEmailAddress(emailAddress);
  if (!parsed.ok) throw invalidField('email_address', refusedEmailAddress);
  return parsed.address;
}

/** Deletes the entries of one service, or of all if `serviceId` is undefined. Returns their number. */
export function eraseSuppressions(db: Db, emailAddress: string, serviceId: string | undefined): Promise<number> {
  return deleteSuppressionsOf(db, [emailAddress], serviceId);
}

export function findSuppressionsOf(db: Db, emailAddress: string, serviceId: string | undefined) {
  return selectSuppressionsOf(db, [emailAddress], serviceId);
}
