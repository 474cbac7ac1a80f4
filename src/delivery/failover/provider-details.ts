import { addDays } from '../../countries/calendar.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ActiveProviders } from '../providers/settings.ts';
import {
  lockShares,
  type ProviderChange,
  type ProviderDetails,
  selectFragmentsSince,
  selectMessagesSince,
  selectProvider,
  selectProviders,
  selectProviderVersions,
  updateProvider,
} from './provider-details.sql.ts';

type Deps = Platform & { config: ActiveProviders };

export async function listProviderDetails(app: Deps) {
  const today = app.country.calendar.day(app.clock.now());
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

/** Every provider has a row. One that is not configured is shown as inactive, unless a person has ever changed it. */
function shownAs({ config }: Pick<Deps, 'config'>, provider: ProviderDetails): ProviderDetails {
  const { notification_type: channel, identifier, version } = provider;
  const isInUse = channel === 'letter' || version > 1 || config[channel].providers.includes(identifier);
  return { ...provider, active: provider.active && isInUse };
}

export async function listProviderVersions(app: Deps, id: string) {
  await getProviderDetails(app, id);
  const versions = await selectProviderVersions(app.db, id);
  return versions.map(({ created_by_email_address: email_address, ...stored }) => {
    const version = shownAs(app, stored);
    const { created_by_id, created_by_name: name } = version;
    const created_by =
      created_by_id === null || name === null || email_address === null
        ? null
        : { id: created_by_id, name, email_address };
    return { ...version, created_by };
  });
}

/** A share set by a person also becomes the one that failover returns to. */
export async function updateProviderDetails(app: Deps, id: string, change: ProviderChange): Promise<ProviderDetails> {
  await getProviderDetails(app, id);
  const now = timestamp(app.clock.now());
  await inTransaction(app.db, (tx) => updateProvider(tx, id, { ...change, resting_priority: change.priority }, now));
  return getProviderDetails(app, id);
}

type SharedChannel = 'sms' | 'email';

interface Why {
  reason: string;
  created_by_id: string;
}

/** Counts this month's messages by channel and provider. */
export async function countMessagesOfProviders({ db, clock, country: { calendar } }: Platform) {
  const today = calendar.day(clock.now());
  return selectMessagesSince(db, addDays(today, 1 - Number(today.slice(8))));
}

/**
 * Sets the shares of all providers in use on a channel, by name. They must add up to 100, and failover returns to them. A provider whose
 * share does not change gets no version.
 */
export async function setProviderShares(
  app: Deps,
  channel: SharedChannel,
  shares: ReadonlyMap<string, number>,
  why: Why,
): Promise<void> {
  const inUse = app.config[channel].providers;
  if (inUse.length !== shares.size || inUse.some((name) => !shares.has(name))) {
    throw invalid('Give a share to each provider that is in use.');
  }
  const total = [...shares.values()].reduce((sum, share) => sum + share, 0);
  if (total !== 100) throw invalid(`The shares add up to ${total}. They must add up to 100.`);
  const now = timestamp(app.clock.now());
  await inTransaction(app.db, async (tx) => {
    for (const { id, identifier, priority, resting_priority } of await lockShares(tx, channel)) {
      const share = shares.get(identifier);
      if (share === undefined || (share === priority && share === resting_priority)) continue;
      await updateProvider(tx, id, { priority: share, resting_priority: share, ...why }, now);
    }
  });
}

/** A channel keeps at least one active provider: without one, each of its messages would fail. */
export async function setProviderActive(app: Deps, id: string, active: boolean, why: Why): Promise<void> {
  const { notification_type: channel, identifier } = await getProviderDetails(app, id);
  if (channel === 'letter') throw notFound();
  await inTransaction(app.db, async (tx) => {
    const others = (await lockShares(tx, channel)).filter(
      (share) =>
        share.active && share.identifier !== identifier && app.config[channel].providers.includes(share.identifier),
    );
    if (!active && others.length === 0) {
      throw invalidField('reason', 'This is the only provider in use. Resume or connect another one first.');
    }
    await updateProvider(tx, id, { active, ...why }, timestamp(app.clock.now()));
  });
}
