import { announceFailures } from '../notifications/callback-tasks.ts';
import type { SendingService } from '../notifications/sending/sending-service.ts';
import { recordStatusChanges } from '../notifications/status.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import {
  countRefusedSends,
  findSuppressed,
  type SuppressedRecipient,
  suppressRecipients,
} from '../services/suppression/suppression-list.ts';
import type { JobRow } from './jobs.sql.ts';
import type { ReadyRow } from './uploads/ready-row.ts';

type Suppressed = ReadonlyMap<string, SuppressedRecipient>;

const none: Suppressed = new Map();

/** The suppressed addresses among the rows of a chunk: one query, for services that keep a suppression list. */
export async function suppressedAmong(
  tx: Tx,
  { notification_type, key_type }: Pick<JobRow, 'notification_type' | 'key_type'>,
  service: SendingService,
  rows: readonly (ReadyRow | null)[],
): Promise<Suppressed> {
  if (notification_type !== 'email' || key_type === 'test' || !service.permissions.has(suppressRecipients)) return none;
  const addresses = rows.flatMap((row) => row?.normalised_recipient ?? []);
  return findSuppressed(tx, service.id, addresses);
}

/** Ends rows that get nothing, in the transaction that stores them. They have no provider, so they are not billed. */
export async function failSuppressed(
  app: Platform,
  tx: Tx,
  rows: { id: string; address: string }[],
  suppressed: Suppressed,
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  const changes = rows.map(({ id }) => ({ id, status: 'permanent-failure', event: 'givenUp' }) as const);
  await recordStatusChanges(tx, changes, now);
  await app.queue.add(tx, announceFailures, { notification_ids: rows.map(({ id }) => id) });
  countRefusedSends(
    app,
    rows.flatMap(({ address }) => suppressed.get(address)?.reason ?? []),
  );
}
