import type { EmailSettings } from '../branding/settings.ts';
import { InvalidatedCache } from '../platform/cache.ts';
import type { Platform } from '../platform/platform.ts';
import { platformServiceId } from '../users/platform-user.ts';
import { readPrivateKey } from './keys/dkim-keys.ts';
import { selectSenderDomain } from './sender-domains.sql.ts';
import type { DomainSettings } from './settings.ts';

type SenderDomain = NonNullable<Awaited<ReturnType<typeof selectSenderDomain>>>;

/** The domains that a service and its organisation chose. */
export interface ChosenDomains {
  sending_domain_id: string | null;
  organisation_domain_id: string | null;
}

/** The key that signs an email. */
export interface Signature {
  domain: string;
  selector: string;
  privateKey: string;
}

/** The domain is suspended, and its owner chose that emails wait instead of coming from another domain. */
export class OnHold extends Error {
  readonly domain: string;

  constructor(domain: string) {
    super('The domain of this email is suspended');
    this.domain = domain;
  }
}

type Deps = Platform & { config: { domains: DomainSettings; email: EmailSettings } };

/** Cached for missing rows too: most installations have none. */
const none = { state: 'none' as const };
const ofInstallation = 'installation';

/**
 * Chooses the domain that an email comes from. Rows are cached until a change of the domain or its keys is announced, so a message costs no
 * query.
 */
export class SenderDomains {
  private readonly app: Deps;
  private readonly cache: InvalidatedCache<SenderDomain | typeof none>;

  constructor(app: Deps) {
    this.app = app;
    this.cache = new InvalidatedCache<SenderDomain | typeof none>(app.changeListener, {
      channel: 'sending_domain_changed',
      max_bytes: app.cacheMemory_bytes / 16,
      bytesOf: (domain) => ('key' in domain ? 500 + (domain.key?.encrypted_private_key?.length ?? 0) : 100),
      load: async (key) =>
        (await selectSenderDomain(
          app.db,
          key === ofInstallation ? { installation: app.config.email.domain.toLowerCase() } : { id: key },
        )) ?? none,
    });
  }

  /**
   * Returns the service's own domain, otherwise its organisation's, otherwise the installation's, which is undefined if it has no row.
   * `canSend`: whether the provider of the message can send from a domain; if not, the message comes from the installation's domain. Throws
   * `OnHold`.
   */
  async choose(
    serviceId: string,
    { sending_domain_id, organisation_domain_id }: ChosenDomains,
    canSend: (domain: SenderDomain) => boolean = () => true,
  ): Promise<SenderDomain | undefined> {
    if (this.app.config.domains.mode === 'off') return undefined;
    // A broken domain must not hold back the notification about it.
    const isPlatform = serviceId === platformServiceId;
    const ids = isPlatform ? [ofInstallation] : [sending_domain_id, organisation_domain_id, ofInstallation];
    for (const id of ids) {
      if (id === null) continue;
      const domain = await this.cache.find(id);
      if (!domain || domain.state === 'none') continue;
      if (domain.state === 'suspended' && domain.hold && !isPlatform) throw new OnHold(domain.name);
      if (domain.state !== 'verified' && domain.state !== 'warning') continue;
      if (canSend(domain)) return domain;
      if (id !== ofInstallation) return this.choose(platformServiceId, noChosenDomains, canSend);
    }
    return undefined;
  }

  /** Returns the domain in the sender address, regardless of the provider. */
  async nameFor(serviceId: string, chosen: ChosenDomains): Promise<string> {
    const own = this.app.config.email.domain;
    if (chosen.sending_domain_id === null && chosen.organisation_domain_id === null) return own;
    try {
      return (await this.choose(serviceId, chosen))?.name ?? own;
    } catch (error) {
      if (error instanceof OnHold) return error.domain;
      throw error;
    }
  }

  /**
   * Returns undefined if the provider, a relay or the installation's key signs. A key that cannot be decrypted is caused by wrong
   * SECRET_KEYS: then emails come from the installation's domain.
   */
  signatureOf({ name, key }: SenderDomain): Signature | 'unreadable' | undefined {
    if (!key || key.encrypted_private_key === null) return undefined;
    const privateKey = readPrivateKey(this.app, key.id, key.encrypted_private_key);
    if (privateKey !== undefined) return { domain: name, selector: key.selector, privateKey };
    this.app.log.error(
      { event: 'sending_domain.key_unreadable', domain: name, selector: key.selector },
      'The private key of a sending domain cannot be decrypted with SECRET_KEYS',
    );
    return 'unreadable';
  }
}

const noChosenDomains: ChosenDomains = { sending_domain_id: null, organisation_domain_id: null };
