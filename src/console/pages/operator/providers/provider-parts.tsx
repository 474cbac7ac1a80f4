import type { ProviderState } from '../../../../delivery/failover/provider-states.ts';
import type { ActiveProviders } from '../../../../delivery/providers/settings.ts';
import { list, t } from '../../../../language/text.ts';
import type { PrintSettings } from '../../../../letters/settings.ts';
import { pageUrl } from '../../../links.ts';
import { Status } from '../../../parts/status.tsx';
import { Tabs } from '../../../parts/tabs.tsx';

export const providersPath = '/operator/providers';
export const providerAddress = (id: string) => `${providersPath}/${id}`;
export const sharesPath = (channel: 'sms' | 'email') =>
  `${providersPath}/${channel === 'sms' ? 'text' : 'email'}-shares`;

export interface Provider {
  notification_type: 'sms' | 'email' | 'letter';
  identifier: string;
  active: boolean;
  priority: number;
}

interface Deps {
  config: ActiveProviders & { letters: PrintSettings };
}

/** Whether the settings of the installation name the provider. */
export function isInUse({ config }: Deps, { notification_type, identifier }: Provider): boolean {
  return notification_type === 'letter' || config[notification_type].providers.includes(identifier);
}

/** Whether the provider is a sandbox, through which nothing leaves Pennypost. */
export function isSandbox({ config }: Deps, { notification_type, identifier }: Provider): boolean {
  return notification_type === 'letter' ? config.letters.handOff === 'sandbox' : identifier === 'sandbox';
}

interface StateProps {
  app: Deps;
  provider: Provider;
  states: readonly ProviderState[];
}

/** The state in one word; the overview has the reasons. */
export function StateOfProvider({ app, provider, states }: StateProps) {
  if (!isInUse(app, provider)) return <Status kind="accepted">{t('Not in use')}</Status>;
  if (!provider.active) return <Status kind="cancelled">{t('Paused')}</Status>;
  const health = healthOf(provider, states)?.health;
  if (health === 'failing') return <Status kind="failed">{t('Failing')}</Status>;
  if (health === 'errors') return <Status kind="sending">{t('Errors')}</Status>;
  if (health === 'slow') return <Status kind="sending">{t('Slow')}</Status>;
  return isSandbox(app, provider) ? (
    <Status kind="accepted">{t('Sandbox')}</Status>
  ) : (
    <Status kind="delivered">{t('Working')}</Status>
  );
}

export function healthOf(
  { notification_type, identifier }: Pick<Provider, 'notification_type' | 'identifier'>,
  states: readonly ProviderState[],
): ProviderState | undefined {
  return states.find((state) => state.notification_type === notification_type && state.identifier === identifier);
}

/** Returns the providers of a channel that get messages: those in use that are not paused. */
function takersOf<P extends Provider>(app: Deps, channel: Provider['notification_type'], all: readonly P[]): P[] {
  return all.filter((one) => one.notification_type === channel && one.active && isInUse(app, one));
}

/** Returns the share of messages that the provider gets. */
export function shareOf(app: Deps, provider: Provider, all: readonly Provider[]): string {
  const takers = takersOf(app, provider.notification_type, all);
  if (!takers.some(({ identifier }) => identifier === provider.identifier)) return t('None');
  const total = takers.reduce((sum, { priority }) => sum + priority, 0);
  // If no provider has a share, all are equally likely.
  return `${Math.round(total === 0 ? 100 / takers.length : (100 * provider.priority) / total)}%`;
}

interface NextProps {
  app: Deps;
  channel: Provider['notification_type'];
  all: readonly (Provider & { display_name: string })[];
  states: readonly ProviderState[];
}

/** Shows which provider gets the next message of a channel, by the current shares and states. */
export function NextMessage({ app, channel, all, states }: NextProps) {
  if (channel === 'letter') return <p>{nextLetter[app.config.letters.handOff]}</p>;
  const takers = takersOf(app, channel, all);
  const chosen = takers
    .filter((one) => shareOf(app, one, all) !== '0%')
    .toSorted((one, other) => other.priority - one.priority);
  const failing = chosen.filter((one) => healthOf(one, states)?.health === 'failing');
  const named = chosen.map((one) => `${one.display_name} (${shareOf(app, one, all)})`);
  if (chosen.length === 0)
    return (
      <p>
        {t(
          '{channel, select, email {Every provider is paused, so emails wait. Resume one of them.} other {Every provider is paused, so texts wait. Resume one of them.}}',
          { channel },
        )}
      </p>
    );
  return (
    <p>
      {chosen.length === 1
        ? t(
            '{channel, select, email {The next email goes to {provider}.} other {The next text message goes to {provider}.}}',
            { channel, provider: chosen[0]?.display_name ?? '' },
          )
        : t(
            '{channel, select, email {The next email goes to one of these, chosen at random: {providers}.} other {The next text message goes to one of these, chosen at random: {providers}.}}',
            { channel, providers: named.join(', ') },
          )}{' '}
      {failing.map(({ identifier, display_name }) =>
        takers.length === 1
          ? t(
              '{channel, select, email {{provider} is failing, so emails wait and are tried again.} other {{provider} is failing, so texts wait and are tried again.}}',
              { channel, provider: display_name },
            )
          : t('{provider} is failing: messages that it does not accept are sent again through {others}.', {
              provider: display_name,
              others: list(
                takers.filter((other) => other.identifier !== identifier).map((other) => other.display_name),
                'disjunction',
              ),
            }),
      )}
    </p>
  );
}

const nextLetter: Record<PrintSettings['handOff'], string> = {
  sandbox: t('The next letter stays in the sandbox.'),
  folder: t('The next letter goes into the folder for the printer, with the next print run.'),
  sftp: t('The next letter goes to the SFTP server of the printer, with the next print run.'),
};

export function ProviderTabs({ current }: { current: 'providers' | 'numbers' }) {
  return (
    <Tabs
      name={t('Providers')}
      tabs={[
        { label: t('Providers'), to: pageUrl('/operator/providers'), isCurrent: current === 'providers' },
        { label: t('Inbound numbers'), to: pageUrl('/operator/inbound-numbers'), isCurrent: current === 'numbers' },
      ]}
    />
  );
}
