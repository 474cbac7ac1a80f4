import { seedDefaultAllowances } from './billing/allowance.seed.ts';
import { seedRates } from './billing/rates.seed.ts';
import { seedProviders } from './delivery/failover/provider-details.seed.ts';
import { seedSweeps } from './delivery/sweeps.seed.ts';
import { seedInstallation } from './operations/country/installation.ts';
import type { Seed } from './platform/db/seed.ts';
import { seedNormalisedNumbers } from './services/inbound-numbers/inbound-numbers.seed.ts';
import { seedPlatformService } from './services/platform-service.seed.ts';
import { seedAccountTemplates } from './users/account-messages/account-templates.seed.ts';
import { seedPlatformUser } from './users/platform-user.seed.ts';

/** Rows that every database has, in the order of their references. */
export const seeds: readonly Seed[] = [
  seedInstallation,
  seedPlatformUser,
  seedPlatformService,
  seedNormalisedNumbers,
  seedAccountTemplates,
  seedDefaultAllowances,
  seedProviders,
  seedSweeps,
  seedRates,
];
