import type { ProviderState } from '../../../../delivery/failover/provider-states.ts';
import type { ActiveProviders } from '../../../../delivery/providers/settings.ts';
import type { PrintSettings } from '../../../../letters/settings.ts';
import { pageUrl } from '../../../links.ts';
import { Status } from '../../../parts/status.tsx';
import { Tabs } from '../../../parts/tabs.tsx';

export const providersPath = '/operator/providers';
export const providerAddress = (id: string) => `${providersPath}/${id}`;
export const sharesPath = (channel: 'sms' | 'email') =>
  `${providersPath}/${channel === 'sms' ? 'text' : 'email'}-shares`;

interface Provider {
  notification_type: 'sms' | 'email' | 'letter';
  identifier: string;
  active: boolean;
  priority: number;
}

interface Deps {
  config: ActiveProviders & { letters: PrintSettings };
}

/** Named in the settings of the installation; the others only could be. */
export function isInUse({ config }: Deps, { notification_type, identifier }: Provider): boolean {
  return notification_type === 'letter' || config[notification_type].providers.includes(identifier);
}

interface StateProps {
  app: Deps;
  provider: Provider;
  states: readonly ProviderState[];
}

/** In a word; the overview has the reasons. */
export function StateOfProvider({ app, provider, states }: StateProps) {
  if (!isInUse(app, provider)) return <Status kind="accepted">Not in use</Status>;
  if (!provider.active) return <Status kind="cancelled">Paused</Status>;
  const isSandbox =
    provider.identifier === 'sandbox' ||
    (provider.notification_type === 'letter' && app.config.letters.handOff === 'sandbox');
  const health = healthOf(provider, states)?.health;
  if (health === 'failing') return <Status kind="failed">Failing</Status>;
  if (health === 'errors') return <Status kind="sending">Errors</Status>;
  if (health === 'slow') return <Status kind="sending">Slow</Status>;
  return isSandbox ? <Status kind="accepted">Sandbox</Status> : <Status kind="delivered">Well</Status>;
}

export function healthOf(
  { notification_type, identifier }: Pick<Provider, 'notification_type' | 'identifier'>,
  states: readonly ProviderState[],
): ProviderState | undefined {
  return states.find((state) => state.notification_type === notification_type && state.identifier === identifier);
}

/** What part of the messages it is given: shares count only between the providers that are in use and not paused. */
export function shareOf(app: Deps, provider: Provider, all: readonly Provider[]): string {
  const isGiven = (one: Provider) => one.active && isInUse(app, one);
  if (!isGiven(provider)) return 'None';
  const sharing = all.filter((one) => one.notification_type === provider.notification_type && isGiven(one));
  const total = sharing.reduce((sum, { priority }) => sum + priority, 0);
  // Without any share, all are equally likely.
  return `${Math.round(total === 0 ? 100 / sharing.length : (100 * provider.priority) / total)}%`;
}

export function ProviderTabs({ current }: { current: 'providers' | 'numbers' }) {
  return (
    <Tabs
      name="Providers"
      tabs={[
        { label: 'Providers', to: pageUrl('/operator/providers'), isCurrent: current === 'providers' },
        { label: 'Inbound numbers', to: pageUrl('/operator/inbound-numbers'), isCurrent: current === 'numbers' },
      ]}
    />
  );
}
