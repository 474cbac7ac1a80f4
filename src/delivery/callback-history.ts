import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { notFound } from '../platform/failure.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { CallbackType } from '../services/callback-api.ts';
import { refuseUnlessServiceExists } from '../services/services.ts';
import { deleteCallbacksBefore, replayCallbacks, selectCallbacks } from './service-callbacks.sql.ts';

type Needs = Pick<Platform, 'db' | 'clock'>;

const pageSize = 50;

export async function listCallbacks(
  app: Needs,
  serviceId: string,
  page: { status?: 'waiting' | 'delivered' | 'failed'; older_than?: string },
) {
  await refuseUnlessServiceExists(app.db, serviceId);
  const rows = await selectCallbacks(app.db, serviceId, { size: pageSize, ...page });
  return rows.map(({ due_at, attempt_log, ...row }) => ({
    ...row,
    attempt_log: attempt_log as { at: string; status_code: number | null; error: string | null; duration_ms: number }[],
    next_attempt_at: row.status === 'waiting' ? due_at : null,
  }));
}

export async function replayCallback(app: Needs, serviceId: string, callbackId: string): Promise<void> {
  const replayed = await replay(app, { service_id: serviceId, id: callbackId });
  if (replayed === 0) throw notFound();
}

export async function replayFailedCallbacks(
  app: Needs,
  serviceId: string,
  which: { callback_type?: CallbackType; created_since?: string },
): Promise<number> {
  await refuseUnlessServiceExists(app.db, serviceId);
  return replay(app, { service_id: serviceId, ...which });
}

function replay(app: Needs, which: Parameters<typeof replayCallbacks>[1]): Promise<number> {
  return inTransaction(app.db, (tx) => replayCallbacks(tx, which, timestamp(app.clock.now())));
}

const keptForDays = 7;
const mostAtOnce = 5_000;

/** What was delivered or given up is kept for a week, to look at and to replay. */
export async function forgetOldCallbacks(app: Needs): Promise<void> {
  const oldest = firstIdAt(earlier(app.clock.now(), keptForDays * day_ms));
  while ((await deleteCallbacksBefore(app.db, oldest, mostAtOnce)) === mostAtOnce);
}
