import * as setting from '../../platform/setting.ts';
import {
  group,
  missingNames,
  problemsOfPartlySet,
  type SettingGroup,
  type Settings,
  type Values,
} from '../../platform/setting-groups.ts';
import type { EmailDescriptor, ProviderDeps, ProviderDescriptor, SmsDescriptor } from './descriptor.ts';
import type { EmailMessage, Provider, TextMessage } from './provider.ts';

export type ValuesOfProviders = Record<string, Values<Settings>>;

/** The choice of providers for each channel. */
export interface ActiveProviders {
  sms: { providers: string[] };
  email: { providers: string[] };
}

/** The settings for opening the providers in use and receiving their reports. */
export type ProvidersConfig = ProviderDeps['config'] & ActiveProviders & { providers: ValuesOfProviders };

type GroupsOf<P extends ProviderDescriptor> = { [Each in P as Each['name']]: SettingGroup<Each['settings']> };

/** Returns one group of settings for each provider, by name. */
export function providerGroups<P extends ProviderDescriptor>(providers: readonly P[]): GroupsOf<P> {
  const groups = providers.map(({ name, details, settings }) => [
    name,
    group(`Provider: ${details.display_name}`, settings),
  ]);
  return Object.fromEntries(groups) as GroupsOf<P>;
}

export function smsProviders(providers: readonly ProviderDescriptor[]) {
  return setting.listOf<string>(
    'SMS_PROVIDERS',
    'Text message providers. With several, the traffic is shared between them, with failover.',
    namesOf(providers, 'sms'),
    { fallback: ['sandbox'] },
  );
}

export function emailProviders(providers: readonly ProviderDescriptor[]) {
  return setting.listOf<string>('EMAIL_PROVIDERS', 'Email providers.', namesOf(providers, 'email'), {
    fallback: ['sandbox'],
  });
}

function namesOf(providers: readonly ProviderDescriptor[], channel: ProviderDescriptor['channel']): string[] {
  return providers.filter((provider) => provider.channel === channel).map(({ name }) => name);
}

export function settingsOf(config: { providers: ValuesOfProviders }, { name }: ProviderDescriptor): Values<Settings> {
  const values = config.providers[name];
  if (!values) throw new Error(`the settings of the provider ${name} were not read`);
  return values;
}

/** Returns the problems of provider settings. Most apply only if the provider is active. A setting that could not be read is undefined. */
export function providerProblems(
  providers: readonly ProviderDescriptor[],
  config: ActiveProviders & { providers: ValuesOfProviders },
): string[] {
  const { sms, email } = config;
  const active = [...named(providers, 'sms', sms.providers), ...named(providers, 'email', email.providers)];
  return [
    ...active.flatMap((provider) =>
      missingNames(provider.settings, settingsOf(config, provider), provider.required ?? []).map(
        (name) => `${name} must be set for the provider ${provider.name}`,
      ),
    ),
    ...active.flatMap((provider) => provider.problems?.(settingsOf(config, provider)) ?? []),
    ...providers.flatMap((provider) =>
      problemsOfPartlySet(provider.settings, settingsOf(config, provider), provider.together ?? []),
    ),
  ];
}

function named(
  providers: readonly ProviderDescriptor[],
  channel: ProviderDescriptor['channel'],
  names: string[] = [],
): ProviderDescriptor[] {
  return names.flatMap(
    (name) => providers.find((provider) => provider.channel === channel && provider.name === name) ?? [],
  );
}

type Deps = Omit<ProviderDeps, 'settings'> & {
  config: ProvidersConfig;
  providers: readonly ProviderDescriptor[];
};

export function openTextProviders(app: Deps): Provider<TextMessage>[] {
  const known = app.providers.filter((provider): provider is SmsDescriptor => provider.channel === 'sms');
  return active(known, app.config.sms.providers).map((provider) =>
    provider.open({ ...app, settings: settingsOf(app.config, provider) }),
  );
}

export function openEmailProviders(app: Deps): Provider<EmailMessage>[] {
  const known = app.providers.filter((provider): provider is EmailDescriptor => provider.channel === 'email');
  return active(known, app.config.email.providers).map((provider) =>
    provider.open({ ...app, settings: settingsOf(app.config, provider) }),
  );
}

function active<T extends ProviderDescriptor>(known: T[], names: string[]): T[] {
  return names.map((name) => {
    const found = known.find((provider) => provider.name === name);
    if (!found) throw new Error(`there is no provider ${name}`);
    return found;
  });
}
