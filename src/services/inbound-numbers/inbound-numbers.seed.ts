import type { Seed } from '../../platform/db/seed.ts';
import { normaliseOwnNumber } from '../../recipients/phone-number.ts';
import { selectNumbersByUse, updateNormalisedNumbers } from './inbound-numbers.sql.ts';

/**
 * Normalises rows that an earlier release stored under other rules of the phone library. If several rows have the same number,
 * the first of `selectNumbersByUse` keeps receiving its texts; the others get null.
 */
export const seedNormalisedNumbers: Seed = async (tx, _now, { phone }) => {
  const taken = new Set<string>();
  const rows = (await selectNumbersByUse(tx)).map((row) => {
    const normalised = normaliseOwnNumber(phone, row.number);
    const normalised_number = taken.has(normalised) ? null : normalised;
    taken.add(normalised);
    return { id: row.id, normalised_number, is_right: row.normalised_number === normalised_number };
  });
  const wrong = rows.filter(({ is_right }) => !is_right);
  if (wrong.length > 0) await updateNormalisedNumbers(tx, wrong);
};
