import { addDays, londonDay } from '../../platform/calendar.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ActiveProviders } from '../providers/settings.ts';
import {
  type ProviderChange,
  type ProviderDetails,
  selectFragmentsSince,
  selectProvider,
  selectProviders,
  selectProviderVersions,
  updateProvider,
} from './provider-details.sql.ts';

type Deps = Platform & { config: ActiveProviders };

export async function listProviderDetails(app: Deps) {
  const today = londonDay(app.clock.now());
  const monthStart = addDays(today, 1 - Number(today.slice(8)));
  const [providers, fragments] = await Promise.all([selectProviders(app.db), selectFragmentsSince(app.db, monthStart)]);
  return providers.map((provider) => ({
    ...shownAs(app, provider),
    current_month_billable_sms: provider.notification_type === 'sms' ? (fragments.get(provider.identifier) ?? 0) : 0,
  }));
}

export async function getProviderDetails(app: Deps, id: string): Promise<ProviderDetails> {
  const provider = await selectProvider(app.db, id);
  if (!provider) throw notFound();
  return shownAs(app, provider);
}

/** Every provider has a row. One that is not configured counts as inactive, unless a person has ever changed it. */
function shownAs({ config }: Pick<Deps, 'config'>, provider: ProviderDetails): ProviderDetails {
  const { notification_type: channel, identifier, version } = provider;
  const isInUse = channel === 'letter' || version > 1 || config[channel].providers.includes(identifier);
  return { ...provider, active: provider.active && isInUse };
}

export async function listProviderVersions(app: Deps, id: string) {
  await getProviderDetails(app, id);
  const versions = await selectProviderVersions(app.db, id);
  return versions.map(({ created_by_email_address: email_address, ...version }) => {
    const { created_by_id, created_by_name: name } = version;
    const created_by =
      created_by_id === null || name === null || email_address === null
        ? null
        : { id: created_by_id, name, email_address };
    return { ...version, created_by };
  });
}

/** A share that somebody sets is also the one that failover returns to. */
export async function updateProviderDetails(app: Deps, id: string, change: ProviderChange): Promise<ProviderDetails> {
  await getProviderDetails(app, id);
  const now = timestamp(app.clock.now());
  await inTransaction(app.db, (tx) => updateProvider(tx, id, { ...change, resting_priority: change.priority }, now));
  return getProviderDetails(app, id);
}
