import type { Db } from '../platform/db/database.ts';
import { selectByUuid } from './operations.sql.ts';

interface Found {
  type: string;
  /** The ids of its owners. */
  context: Record<string, string>;
}

/** Finds what has this id, and the ids of its owners. */
export async function findByUuid(db: Db, uuid: string): Promise<Found | undefined> {
  const found = await selectByUuid(db, uuid);
  if (!found) return undefined;
  const { type, ...owners } = found;
  return { type, context: Object.fromEntries(Object.entries(owners).filter(isGiven)) };
}

function isGiven(entry: [string, string | null]): entry is [string, string] {
  return entry[1] !== null;
}
