import type { Negotiated } from './checks/tls.ts';
import type { ProviderRecord } from './sending-domains.sql.ts';

/** The response of a provider about a domain whose keys it has. */
export interface DomainAtProvider {
  records: ProviderRecord[];
  /** The provider's own verdict. */
  verified: boolean;
}

/** The configuration of our own mail server that the checks of domains need. */
export interface MailServerFacts {
  /** The return path domain, unless a domain has its own. */
  returnPathDomain?: string | undefined;
  /** Whether we are the mail server of that domain. */
  listens?: boolean;
  /** The name in its EHLO. */
  helo?: string | undefined;
  /** Finds out which encryption a connection to it gets. Returns undefined if it cannot be reached. */
  negotiate?(): Promise<Negotiated | undefined>;
  /** The key of the installation, from the settings. */
  key?: { domain: string; selector: string; publicKey: string } | undefined;
}

/** What the email providers in use can do for domains. Set by delivery, which knows the providers. */
export interface DomainProviders {
  /** Whether one of them accepts emails that are signed here. */
  readonly sign: boolean;
  /** The providers that have the keys themselves. */
  readonly withKeys: readonly string[];
  readonly mailServer: MailServerFacts;
  /** Returns undefined if the provider does not know the domain or has no API for it. */
  lookUp(provider: string, name: string): Promise<DomainAtProvider | undefined>;
}
