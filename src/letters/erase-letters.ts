import { letterFiles } from '../notifications/letter-tasks.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { clearLetterReferences } from './letters.sql.ts';
import { letterReference } from './print/print-provider.ts';

/** The services' own references of erased letters, which may name a person. The printer's references stay: letters can come back. */
export function eraseLetterReferences(tx: Tx, ids: string[]): Promise<void> {
  return clearLetterReferences(tx, ids, ids.map(letterReference));
}

/** The PDFs of erased letters. Returns how many there were. They do not come back when a transaction fails. */
export async function eraseLetterFiles({ files }: Platform, ids: string[]): Promise<number> {
  let erased = 0;
  for (const path of ids.flatMap((id) => [letterFiles.finished(id), letterFiles.uploaded(id)])) {
    if ((await files.get(path)) === undefined) continue;
    await files.remove(path);
    erased += 1;
  }
  return erased;
}
