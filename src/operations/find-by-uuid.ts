import type { Platform } from '../platform/platform.ts';
import type { InStores } from '../stores/stores.ts';
import { selectByUuid } from './find-by-uuid.sql.ts';

interface Found {
  type: string;
  /** The ids of its owners. */
  context: Record<string, string>;
}

type Deps = InStores<Pick<Platform, 'store' | 'db'>>;

/** What has this id, and whose it is. */
export async function findByUuid({ stores }: Deps, uuid: string): Promise<Found | undefined> {
  for (const { db } of stores.ofReference(uuid)) {
    const found = await selectByUuid(db, uuid);
    if (!found) continue;
    const { type, ...owners } = found;
    return { type, context: Object.fromEntries(Object.entries(owners).filter(isGiven)) };
  }
  return undefined;
}

function isGiven(entry: [string, string | null]): entry is [string, string] {
  return entry[1] !== null;
}
