import { timestamp } from '../platform/clock.ts';
import { Failure, invalid, notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { selectBrandUsers } from './brand-users.sql.ts';
import {
  insertLetterBranding,
  selectBrandsWithNames,
  selectLetterBranding,
  taken,
  updateLetterBrandingRow,
} from './letter-branding.sql.ts';

type Deps = Pick<Platform, 'db' | 'clock'>;

export async function getLetterBranding({ db }: Deps, id: string) {
  const brand = await selectLetterBranding(db, id);
  if (!brand) throw notFound();
  return brand;
}

export function createLetterBranding(app: Deps, request: { name: string; filename: string; created_by_id?: string }) {
  const now = app.clock.now();
  const row = { id: newId(now), created_at: timestamp(now), ...request };
  return reportAllConflicts(app, request, () => insertLetterBranding(app.db, row));
}

export async function updateLetterBranding(
  app: Deps,
  id: string,
  request: { name: string; filename: string; updated_by_id?: string },
) {
  const change = { ...request, updated_at: timestamp(app.clock.now()) };
  const brand = await reportAllConflicts(app, request, () => updateLetterBrandingRow(app.db, id, change), id);
  if (!brand) throw notFound();
  return brand;
}

export async function listLetterBrandUsers(app: Deps, id: string) {
  await getLetterBranding(app, id);
  return selectBrandUsers(app.db, 'letter_branding_id', id);
}

/** The database reports only the first violated constraint; the response lists every field that is taken. */
async function reportAllConflicts<T>(
  { db }: Deps,
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
