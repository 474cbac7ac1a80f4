import type { Seed } from '../platform/db/seed.ts';
import { upsertDefaults } from './allowance.sql.ts';

/**
 * Free text message fragments by the first financial year that they apply to. These rows follow the country's profile and no request
 * changes them, because a service with another allowance has its own row.
 */
export const seedDefaultAllowances: Seed = (tx, _now, { prices }) =>
  upsertDefaults(
    tx,
    Object.entries(prices.allowances).flatMap(([organisation_type, defaults]) =>
      Object.entries(defaults).map(([year, free_sms_fragment_limit]) => ({
        organisation_type,
        valid_from_year: Number(year),
        free_sms_fragment_limit,
      })),
    ),
  );
