import type { Negotiated } from './checks/tls.ts';
import type { ProviderRecord } from './sending-domains.sql.ts';

/** What a provider says about a domain that has its keys there. */
export interface DomainAtProvider {
  records: ProviderRecord[];
  /** Its own opinion. */
  verified: boolean;
}

/** What a mail server of ours says about the domains of its emails. */
export interface MailServerFacts {
  /** Of bounces, unless a domain has its own. */
  returnPathDomain?: string | undefined;
  /** Whether we are the mail server of that domain. */
  listens?: boolean;
  /** The name with which it greets. */
  helo?: string | undefined;
  /** Which encryption a connection to it gets. Undefined if it cannot be reached. */
  negotiate?(): Promise<Negotiated | undefined>;
  /** The key of the installation, from its settings. */
  key?: { domain: string; selector: string; publicKey: string } | undefined;
}

/** What the email providers in use can do for domains. Delivery, which knows them, fills it. */
export interface DomainProviders {
  /** Whether one of them takes emails that are signed here. */
  readonly sign: boolean;
  /** Those that have the keys themselves. */
  readonly withKeys: readonly string[];
  readonly mailServer: MailServerFacts;
  /** Undefined if the provider does not know the domain, or cannot be asked. */
  lookUp(provider: string, name: string): Promise<DomainAtProvider | undefined>;
}
