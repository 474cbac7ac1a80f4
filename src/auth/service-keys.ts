import type { Clock, Timestamp } from '../platform/clock.ts';
import { timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { type KeyType, selectServiceWithKeys } from './api-keys.sql.ts';

export interface ServiceKey {
  id: string;
  name: string;
  key_type: KeyType;
  secret: string;
  expiry_date: Timestamp | null;
}

/** A service as the public API's authentication sees it. */
export interface ServiceWithKeys {
  id: string;
  active: boolean;
  /** Live ones and those revoked in the last seven days, which get an answer of their own. */
  keys: ServiceKey[];
}

const rememberedServices = 10_000;
const revokedKeysAreKnownForDays = 7;

/**
 * Keys by service, remembered until the service changes. Decrypting and reading on every request would double its cost;
 * a notice from the database makes a revocation count everywhere at once.
 */
export class ServiceKeys {
  private readonly remembered = new Map<string, Promise<ServiceWithKeys | undefined>>();
  private readonly app: Pick<Platform, 'db' | 'notices' | 'secrets' | 'clock'>;

  constructor(app: Pick<Platform, 'db' | 'notices' | 'secrets' | 'clock'>) {
    this.app = app;
    app.notices.on('service_changed', (serviceId) => this.remembered.delete(serviceId));
    app.notices.onReset(() => this.remembered.clear());
  }

  async find(serviceId: string): Promise<ServiceWithKeys | undefined> {
    const known = this.remembered.get(serviceId);
    if (known) return known;
    const loading = this.load(serviceId);
    if (this.app.notices.connected) this.remember(serviceId, loading);
    return loading;
  }

  private remember(serviceId: string, loading: Promise<ServiceWithKeys | undefined>): void {
    if (this.remembered.size >= rememberedServices) this.remembered.clear();
    this.remembered.set(serviceId, loading);
    const forget = () => {
      if (this.remembered.get(serviceId) === loading) this.remembered.delete(serviceId);
    };
    // Neither a failed read nor an unknown id is worth remembering.
    loading.then((service) => service ?? forget(), forget);
  }

  private async load(serviceId: string): Promise<ServiceWithKeys | undefined> {
    const service = await selectServiceWithKeys(this.app.db, serviceId);
    if (!service) return undefined;
    const keys = service.keys.map(({ encrypted_secret, ...key }) => {
      const secret = this.app.secrets.decrypt('api-key', encrypted_secret);
      if (!secret) throw new Error('An API key cannot be decrypted: was SECRET_KEY changed?');
      return { ...key, secret: secret.toString() };
    });
    return { ...service, keys };
  }
}

/** Keys that may still be named in an answer: long revoked ones are as if they had never been. */
export function knownKeys(service: ServiceWithKeys, clock: Clock): ServiceKey[] {
  const forgotten = timestamp(new Date(clock.now().getTime() - revokedKeysAreKnownForDays * 86_400_000));
  return service.keys.filter((key) => key.expiry_date === null || key.expiry_date > forgotten);
}
