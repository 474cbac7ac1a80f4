import type { DomainFacts } from '../checks/check-domain.ts';
import type { Negotiated } from '../checks/tls.ts';
import type { DomainAtProvider } from '../domain-providers.ts';
import type { DomainRow, KeyRow, ProviderRecord } from '../sending-domains.sql.ts';
import { type DomainDeps, installationKey } from '../sending-domains.ts';

interface Known {
  keys: readonly KeyRow[];
  records: readonly ProviderRecord[];
  atProvider: DomainAtProvider | undefined;
  negotiated: Negotiated | undefined;
}

/** What the checks of a domain are told. */
export function factsOf(
  app: DomainDeps,
  domain: DomainRow,
  { keys, records, atProvider, negotiated }: Known,
): DomainFacts {
  const { returnPathDomain, helo, listens } = app.domainProviders.mailServer;
  const ofInstallation = installationKey(app, domain);
  const inUse = keys.filter(({ state }) => state === 'signing' || state === 'retiring');
  const ownReturnPath = domain.return_path_domain ?? (domain.way === 'provider' ? undefined : returnPathDomain);
  return {
    way: domain.way,
    // Who can change the settings owns the domain of the installation.
    ...(domain.scope === 'installation' ? {} : { token: domain.token }),
    keys: ofInstallation
      ? [ofInstallation]
      : inUse.map(({ selector, public_key }) =>
          public_key === null ? { selector } : { selector, publicKey: public_key },
        ),
    records,
    ...(atProvider && { isProviderVerified: atProvider.verified }),
    ...(ownReturnPath && { returnPathDomain: ownReturnPath }),
    ...(domain.way !== 'provider' &&
      returnPathDomain &&
      returnPathDomain !== ownReturnPath && { bounceDomain: returnPathDomain }),
    ...(listens && { listens }),
    servers: app.config.domains.mailServers,
    ...(helo && { helo }),
    ...(negotiated && { negotiated }),
  };
}
