import { retentionDays } from '../../delivery/sandbox/sandbox.ts';
import { day_ms, earlier } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { firstIdAt, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { deleteMarksBefore, insertMark, selectMarked } from './marks.sql.ts';

interface Person {
  id: string;
}

/** Records that a person has opened a message of the sandbox. Kept as long as the sandbox keeps messages. */
export async function markOpened({ db, clock }: Platform, { id: user_id }: Person, messageId: string): Promise<void> {
  const kind = 'sandbox-opened';
  const oldest = firstIdAt(earlier(clock.now(), retentionDays * day_ms));
  await deleteMarksBefore(db, { user_id, kind, subject_id: oldest });
  await insertMark(db, { user_id, kind, subject_id: messageId });
}

/** Returns which of these messages the person has opened. */
export async function findOpened(db: Db, { id: user_id }: Person, messageIds: readonly string[]) {
  return new Set(await selectMarked(db, { user_id, kind: 'sandbox-opened' }, messageIds));
}

/** Clears this person's list. Other people's lists and the pages of messages are not affected. */
export async function clearSandbox({ db, clock }: Platform, { id: user_id }: Person): Promise<void> {
  const subject_id = newId(clock.now());
  await inTransaction(db, async (tx) => {
    for (const kind of ['sandbox-opened', 'sandbox-cleared'] as const) {
      await deleteMarksBefore(tx, { user_id, kind, subject_id });
    }
    await insertMark(tx, { user_id, kind: 'sandbox-cleared', subject_id });
  });
}

/** Returns the id after which this person's list begins; undefined if it was never cleared. */
export async function findCleared(db: Db, { id: user_id }: Person): Promise<string | undefined> {
  return (await selectMarked(db, { user_id, kind: 'sandbox-cleared' })).toSorted().at(-1);
}

/** Hides the first steps of a service for this person. */
export async function hideSteps({ db }: Platform, { id: user_id }: Person, serviceId: string): Promise<void> {
  await insertMark(db, { user_id, kind: 'steps-hidden', subject_id: serviceId });
}

export async function areStepsHidden(db: Db, { id: user_id }: Person, serviceId: string): Promise<boolean> {
  return (await selectMarked(db, { user_id, kind: 'steps-hidden' }, [serviceId])).length > 0;
}
