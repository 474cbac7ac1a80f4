import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { Failure, invalid, notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { archivedName } from '../protocol/archived-name.ts';
import { selectBrandUsers, selectServiceCounts } from './brands.sql.ts';
import {
  deleteFromLetterPools,
  insertLetterBranding,
  lockLetterBranding,
  selectActiveLetterBrandings,
  selectBrandsWithNames,
  selectLetterBranding,
  taken,
  updateLetterBrandingRow,
} from './letter-branding.sql.ts';

/** Names and file names must fit into their columns. */
const maxLength = 255;

export async function getLetterBranding(db: Db, id: string) {
  const brand = await selectLetterBranding(db, id);
  if (!brand) throw notFound();
  return brand;
}

/** Lists brands that are not archived, by name, with the number of services that use them. */
export async function listLetterBrandsInUse(db: Db) {
  const [brands, counts] = await Promise.all([
    selectActiveLetterBrandings(db),
    selectServiceCounts(db, 'letter_branding_id'),
  ]);
  return brands.map((brand) => ({ ...brand, service_count: counts.get(brand.id) ?? 0 }));
}

export function createLetterBranding(
  app: Platform,
  request: { id?: string; name: string; filename: string; created_by_id?: string },
) {
  const now = app.clock.now();
  const row = { id: newId(now), created_at: timestamp(now), ...request };
  return reportAllConflicts(app, request, () => insertLetterBranding(app.db, row));
}

/** `alsoWrite` runs in the transaction of the change. */
export async function updateLetterBranding(
  app: Platform,
  id: string,
  request: { name: string; filename: string; updated_by_id?: string },
  alsoWrite: (tx: Tx) => Promise<void> = async () => {},
) {
  const change = { ...request, updated_at: timestamp(app.clock.now()) };
  const write = () =>
    inTransaction(app.db, async (tx) => {
      const brand = await updateLetterBrandingRow(tx, id, change);
      if (!brand) throw notFound();
      await alsoWrite(tx);
      return brand;
    });
  return reportAllConflicts(app, request, write, id);
}

export async function archiveLetterBranding({ db, clock }: Platform, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const brand = await lockLetterBranding(tx, id);
    if (!brand) throw notFound();
    const { organisations, services } = await selectBrandUsers(tx, 'letter_branding_id', id);
    if (organisations.length > 0 || services.length > 0) {
      throw invalid("Letter branding is in use and so it can't be archived.");
    }
    const now = clock.now();
    await deleteFromLetterPools(tx, id);
    await updateLetterBrandingRow(tx, id, {
      active: false,
      name: archivedName(brand.name, now).slice(0, maxLength),
      // File names are unique too, and nobody looks for that of an archived brand.
      filename: archivedName(id, now),
      updated_at: timestamp(now),
    });
  });
}

export async function listLetterBrandUsers(app: Platform, id: string) {
  await getLetterBranding(app.db, id);
  return selectBrandUsers(app.db, 'letter_branding_id', id);
}

/** The database reports only the first violated constraint; the response lists every field that is taken. */
async function reportAllConflicts<T>(
  { db }: Platform,
  wanted: { name: string; filename: string },
  write: () => Promise<T>,
  ownId?: string,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const holders = await selectBrandsWithNames(db, wanted, ownId);
    const clashes = (['name', 'filename'] as const).filter((field) =>
      holders.some((holder) => holder[field] === wanted[field]),
    );
    throw clashes.length === 0 ? error : invalid(Object.fromEntries(clashes.map((field) => [field, [taken[field]]])));
  }
}
