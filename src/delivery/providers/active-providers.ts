import type { EmailDescriptor, ProviderDeps, ProviderDescriptor, SmsDescriptor } from './descriptor.ts';
import type { EmailMessage, Provider, TextMessage } from './provider.ts';

interface ActiveNames {
  SMS_PROVIDERS: string[];
  EMAIL_PROVIDERS: string[];
}

type Deps = ProviderDeps & { config: ActiveNames; providers: readonly ProviderDescriptor[] };

export function activeNames(config: ActiveNames, channel: ProviderDescriptor['channel']): string[] {
  return channel === 'sms' ? config.SMS_PROVIDERS : config.EMAIL_PROVIDERS;
}

export function openTextProviders(app: Deps): Provider<TextMessage>[] {
  const known = app.providers.filter((provider): provider is SmsDescriptor => provider.channel === 'sms');
  return active(known, app.config.SMS_PROVIDERS).map((provider) => provider.open(app));
}

export function openEmailProviders(app: Deps): Provider<EmailMessage>[] {
  const known = app.providers.filter((provider): provider is EmailDescriptor => provider.channel === 'email');
  return active(known, app.config.EMAIL_PROVIDERS).map((provider) => provider.open(app));
}

function active<T extends ProviderDescriptor>(known: T[], names: string[]): T[] {
  return names.map((name) => {
    const found = known.find((provider) => provider.name === name);
    if (!found) throw new Error(`there is no provider ${name}`);
    return found;
  });
}
