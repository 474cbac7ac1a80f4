import { recordStatusChanges, type StatusChange } from '../notifications/status.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { isDatabaseUnavailable } from '../platform/db/errors.ts';
import { GroupCommit } from '../platform/db/group-commit.ts';
import type { Platform } from '../platform/platform.ts';
import { type LetterFile, upsertLetterFiles } from './letters.sql.ts';

/** The result of reading a letter's file. `change` is undefined if the letter was cancelled in the meantime. */
export interface LetterResult {
  id: string;
  change?: Omit<StatusChange, 'id' | 'event'>;
  found: Pick<LetterFile, 'page_count' | 'message' | 'invalid_pages'>;
}

export const nothingFound: LetterResult['found'] = { page_count: null, message: null, invalid_pages: null };

export type LetterResults = GroupCommit<LetterResult, void>;

/** Letters that finish at the same time share a commit, which leaves database connections to requests. */
export function createLetterResults({ db, clock }: Platform): LetterResults {
  return new GroupCommit({
    largest: 100,
    atOnce: 1,
    concernsAll: isDatabaseUnavailable,
    async commit(results) {
      const now = clock.now();
      const created_at = timestamp(now);
      const changes = results.flatMap(({ id, change }) =>
        change ? [{ id, event: 'checked' as const, ...change }] : [],
      );
      await inTransaction(db, async (tx) => {
        await recordStatusChanges(tx, changes, now);
        await upsertLetterFiles(
          tx,
          results.map(({ id, found }) => ({ notification_id: id, ...found, created_at })),
        );
      });
      return results.map(() => undefined);
    },
  });
}
