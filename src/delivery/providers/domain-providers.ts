import type { DomainProviders } from '../../sending-domains/domain-providers.ts';
import type { EmailDescriptor, ProviderDeps, ProviderDescriptor } from './descriptor.ts';
import { type ProvidersConfig, settingsOf, type ValuesOfProviders } from './settings.ts';

type Deps = Omit<ProviderDeps, 'settings'> & { config: ProvidersConfig; providers: readonly ProviderDescriptor[] };

/** Returns what the email providers in use can do for the domains of services. */
export function domainProviders(app: Deps): DomainProviders {
  const inUse = emailProvidersInUse(app);
  const servers = inUse.flatMap((provider) =>
    provider.domains?.kind === 'signed-here' ? [provider.domains.mailServer(settingsOf(app.config, provider))] : [],
  );
  return {
    sign: servers.length > 0 || inUse.some(({ domains }) => domains?.kind === 'any'),
    withKeys: inUse.filter(({ domains }) => domains?.kind === 'has-keys').map(({ name }) => name),
    mailServer: servers[0] ?? {},
    async lookUp(name, domain) {
      const provider = inUse.find((one) => one.name === name);
      if (provider?.domains?.kind !== 'has-keys') return undefined;
      return provider.domains.lookUp?.({ ...app, settings: settingsOf(app.config, provider) }, domain);
    },
  };
}

interface Known {
  config: { email: { providers: string[] }; providers: ValuesOfProviders };
  providers: readonly ProviderDescriptor[];
}

function emailProvidersInUse({ config, providers }: Known): EmailDescriptor[] {
  return providers.filter(
    (provider): provider is EmailDescriptor =>
      provider.channel === 'email' && config.email.providers.includes(provider.name),
  );
}

/** Whether a provider can send from a domain. */
export function sendsFrom(
  { domains, name }: EmailDescriptor,
  { way, provider }: { way: 'signed-here' | 'provider' | 'relay'; provider: string | null },
): boolean {
  if (domains?.kind === 'any') return true;
  return way === 'provider' ? provider === name && domains?.kind === 'has-keys' : domains?.kind === 'signed-here';
}
