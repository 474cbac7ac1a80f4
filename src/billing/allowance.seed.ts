import type { OrganisationType } from '../organisations/organisations.ts';
import type { Seed } from '../platform/db/seed.ts';
import { upsertDefaults } from './allowance.sql.ts';

/** Free text message fragments by the financial year from which on they apply. */
interface Defaults {
  [year: number]: number;
}

const central: Defaults = { 2016: 250_000, 2021: 150_000, 2022: 40_000, 2024: 30_000, 2026: 20_000 };
const local: Defaults = { 2016: 25_000, 2022: 20_000, 2024: 10_000 };
const other: Defaults = { 2016: 25_000, 2021: 10_000, 2024: 5_000 };

const defaultAllowances: { [type in OrganisationType]: Defaults } = {
  central,
  nhs_central: central,
  local,
  nhs_local: local,
  emergency_service: local,
  nhs_gp: { 2016: 25_000, 2021: 10_000, 2024: 0 },
  school_or_college: other,
  other,
  nhs_notify: { 2016: 0 },
};

/** These rows follow the list, because no request changes them: a service that needs another allowance has its own row. */
export const seedDefaultAllowances: Seed = (tx) =>
  upsertDefaults(
    tx,
    Object.entries(defaultAllowances).flatMap(([organisation_type, defaults]) =>
      Object.entries(defaults).map(([year, free_sms_fragment_limit]) => ({
        organisation_type: organisation_type as OrganisationType,
        valid_from_year: Number(year),
        free_sms_fragment_limit,
      })),
    ),
  );
