import { earlier, hour_ms, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteUnconfirmedFiles, selectUnconfirmedFiles } from './unconfirmed-files.sql.ts';

/** No transaction lasts as long. */
const unconfirmedAfter_ms = hour_ms;
const atOnce = 500;

/** Deletes files whose message was not stored: the process ended first, or the database was away when it was to commit. */
export async function deleteFilesWithoutMessage({
  db,
  files,
  clock,
}: Pick<Platform, 'db' | 'files' | 'clock'>): Promise<void> {
  const before = timestamp(earlier(clock.now(), unconfirmedAfter_ms));
  for (;;) {
    const paths = await selectUnconfirmedFiles(db, before, atOnce);
    if (paths.length === 0) return;
    for (const path of paths) await files.remove(path);
    await deleteUnconfirmedFiles(db, paths);
  }
}
