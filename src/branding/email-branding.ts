import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { archivedName } from '../protocol/archived-name.ts';
import { selectBrandUsers, selectServiceCounts } from './brands.sql.ts';
import {
  type BrandType,
  deleteFromEmailPools,
  type EmailBrandingFields,
  insertEmailBranding,
  lockEmailBranding,
  selectActiveEmailBrandings,
  selectEmailBranding,
  updateEmailBrandingRow,
} from './email-branding.sql.ts';

export type { BrandType } from './email-branding.sql.ts';

export async function getEmailBranding(db: Db, id: string) {
  const brand = await selectEmailBranding(db, id);
  if (!brand) throw notFound();
  return brand;
}

/** Lists brands that are not archived, by name, with the number of services that use them. */
export async function listEmailBrandsInUse(db: Db) {
  const [brands, counts] = await Promise.all([
    selectActiveEmailBrandings(db),
    selectServiceCounts(db, 'email_branding_id'),
  ]);
  return brands
    .map((brand) => ({ ...brand, service_count: counts.get(brand.id) ?? 0 }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en-GB'));
}

export function createEmailBranding(
  { db, clock }: Platform,
  request: Partial<EmailBrandingFields> & { name: string; brand_type: BrandType; created_by?: string },
) {
  const now = clock.now();
  return insertEmailBranding(db, {
    ...request,
    id: newId(now),
    colour: request.colour || null,
    logo: request.logo || null,
    created_at: timestamp(now),
  });
}

/** Omitted fields keep their values; an empty string clears a field. Text and alt text are validated on the merged brand. */
export async function updateEmailBranding(
  { db, clock }: Platform,
  id: string,
  request: Partial<EmailBrandingFields> & { updated_by?: string },
) {
  const brand = await updateEmailBrandingRow(db, id, {
    ...request,
    ...clearedWhenEmpty(request, ['colour', 'logo', 'text', 'alt_text']),
    updated_at: timestamp(clock.now()),
  });
  if (!brand) throw notFound();
  return brand;
}

export async function archiveEmailBranding({ db, clock }: Platform, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const brand = await lockEmailBranding(tx, id);
    if (!brand) throw notFound();
    const { organisations, services } = await selectBrandUsers(tx, 'email_branding_id', id);
    if (organisations.length > 0 || services.length > 0) {
      throw invalid("Email branding is in use and so it can't be archived.");
    }
    const now = clock.now();
    await deleteFromEmailPools(tx, id);
    await updateEmailBrandingRow(tx, id, {
      active: false,
      name: archivedName(brand.name, now),
      updated_at: timestamp(now),
    });
  });
}

export async function listEmailBrandUsers(app: Platform, id: string) {
  await getEmailBranding(app.db, id);
  return selectBrandUsers(app.db, 'email_branding_id', id);
}

function clearedWhenEmpty<K extends string>(request: { [key in K]?: string | null }, fields: readonly K[]) {
  const cleared: { [key in K]?: null } = {};
  for (const field of fields) if (request[field] === '') cleared[field] = null;
  return cleared;
}
