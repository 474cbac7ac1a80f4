import type { EmailDescriptor, ProviderDeps, ProviderDescriptor, SmsDescriptor } from './descriptor.ts';
import type { EmailMessage, Provider, TextMessage } from './provider.ts';
import { type ProvidersConfig, settingsOf } from './settings.ts';

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
