import { earlier, hour_ms, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteUnconfirmedFiles, insertUnconfirmedFiles, selectUnconfirmedFiles } from './unconfirmed-files.sql.ts';

/** Longer than any transaction. */
const unconfirmedAfter_ms = hour_ms;
const batchSize = 500;

/** Deletes files of messages that were never stored, because the process crashed or the database was down at commit. */
export async function deleteFilesWithoutMessage({ db, files, clock }: Platform): Promise<void> {
  const before = earlier(clock.now(), unconfirmedAfter_ms);
  await files.removeUnfinished(before);
  for (;;) {
    const paths = await selectUnconfirmedFiles(db, timestamp(before), batchSize);
    if (paths.length === 0) return;
    for (const path of paths) await files.remove(path);
    await deleteUnconfirmedFiles(db, paths);
  }
}

/** Stores files that are deleted after an hour unless they are confirmed. */
export async function putForAnHour(
  { db, files, clock }: Platform,
  contents: Record<string, Uint8Array>,
): Promise<void> {
  await insertUnconfirmedFiles(db, Object.keys(contents), timestamp(clock.now()));
  for (const [path, content] of Object.entries(contents)) await files.put(path, content);
}
