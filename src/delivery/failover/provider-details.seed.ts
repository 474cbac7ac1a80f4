import type { Seed } from '../../platform/db/seed.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import { providers } from '../providers/providers.ts';
import { type BuiltInProvider, insertMissingProviders, updateProviderFacts } from './provider-details.sql.ts';

/** There is one printer for letters, configured by PRINT_HAND_OFF. */
const printer: BuiltInProvider = {
  id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c08',
  identifier: 'dvla',
  display_name: 'DVLA',
  notification_type: 'letter',
  priority: 100,
  supports_international: false,
};

/** Once the row exists, operators own `priority` and `active`. The name and capabilities follow the list. */
export function providerSeed(list: readonly ProviderDescriptor[]): Seed {
  const rows = [...list.map(rowOf), printer];
  return async (tx) => {
    await insertMissingProviders(tx, rows);
    await updateProviderFacts(tx, rows);
  };
}

function rowOf({ name, channel, details }: ProviderDescriptor): BuiltInProvider {
  return { ...details, identifier: name, notification_type: channel };
}

export const seedProviders = providerSeed(providers);
