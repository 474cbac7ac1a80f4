import { isDeepStrictEqual } from 'node:util';
import type { Calendar } from '../../countries/calendar.ts';
import { postageSlots } from '../../countries/postage.ts';
import type { Tx } from '../../platform/db/database.ts';
import { recreateLetterKind } from './letter-kind.shared.sql.ts';
import {
  lockRollups,
  moveSlots,
  moveStatusCounts,
  moveUsage,
  type RollupSums,
  selectLettersByClass,
  selectRollupSums,
  selectUsedClasses,
} from './move-counts.sql.ts';

/**
 * Counts stored messages under the days of another calendar. Folding updates spans and platform totals afterwards. Throws if any sum has
 * changed, which rolls everything back.
 */
export async function moveToDaysOf(tx: Tx, before: Calendar, after: Calendar): Promise<RollupSums> {
  await lockRollups(tx);
  const sums = await selectRollupSums(tx);
  await moveStatusCounts(tx, before, after);
  await moveUsage(tx, before, after);
  const now = await selectRollupSums(tx);
  if (!sums || !isDeepStrictEqual(sums, now)) {
    throw new Error(
      `The sums have changed from ${JSON.stringify(sums)} to ${JSON.stringify(now)}; nothing was changed`,
    );
  }
  return sums;
}

type Slots = Readonly<Record<string, number>>;

/**
 * Assigns new slots to postage classes and moves the letters counted there. A class that is missing from the new list keeps a slot if it
 * has letters: its own if that is free, or else another. Returns the slots of all classes and the number of letters, or the classes for
 * which no slot is left. Throws if any sum has changed, which rolls everything back.
 */
export async function moveToSlots(
  tx: Tx,
  before: Slots,
  wanted: Slots,
): Promise<{ slots: Slots; letters: number } | { withoutSlot: string[] }> {
  await lockRollups(tx);
  const counted = await selectLettersByClass(tx, before);
  const used = [...(await selectUsedClasses(tx)), ...counted.flatMap(({ postage }) => postage ?? [])];
  const placed = placeClasses(before, wanted, used);
  if ('withoutSlot' in placed) return placed;
  const { slots } = placed;
  const from = Object.entries(slots).flatMap(([id, slot]): [number, number][] => {
    const old = Object.hasOwn(before, id) ? before[id] : undefined;
    return old === undefined ? [] : [[slot, old]];
  });
  await recreateLetterKind(
    tx,
    Object.entries(slots).map(([id, slot]) => ({ id, slot })),
  );
  await moveSlots(tx, new Map(from));
  const now = await selectLettersByClass(tx, slots);
  if (!isDeepStrictEqual(counted, now)) {
    throw new Error(
      `The letters have changed from ${JSON.stringify(counted)} to ${JSON.stringify(now)}; nothing was changed`,
    );
  }
  return { slots, letters: counted.reduce((sum, { letters }) => sum + letters, 0) };
}

/** Places classes with letters first. If there is no room, those without letters are dropped. */
function placeClasses(
  before: Slots,
  wanted: Slots,
  used: readonly string[],
): { slots: Slots } | { withoutSlot: string[] } {
  const slots: Record<string, number> = { ...wanted };
  const others = Object.keys(before).filter((id) => !Object.hasOwn(wanted, id));
  const isFree = (slot: number) => !Object.values(slots).includes(slot);
  const withoutSlot: string[] = [];
  const stays = (id: string) => isFree(before[id] ?? 0);
  const inOrder = [
    ...others.filter((id) => used.includes(id) && stays(id)),
    ...others.filter((id) => used.includes(id) && !stays(id)),
    ...others.filter((id) => !used.includes(id)),
  ];
  for (const id of inOrder) {
    const own = before[id] ?? 0;
    const slot = isFree(own) ? own : Array.from({ length: postageSlots }, (_, index) => index + 1).find(isFree);
    if (slot !== undefined) slots[id] = slot;
    else if (used.includes(id)) withoutSlot.push(id);
  }
  return withoutSlot.length > 0 ? { withoutSlot } : { slots };
}
