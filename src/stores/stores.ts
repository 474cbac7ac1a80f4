import { unavailable } from '../platform/failure.ts';
import { isUuid, storeOfId } from '../platform/id.ts';
import { mainStore, type ServiceStores } from './service-stores.ts';

/** What belongs to one of the databases: an application whose `db` it is. */
interface OfStore {
  store: number;
}

/** An application that knows those of the other databases. */
export interface InStores<App extends OfStore> extends OfStore {
  stores: Stores<App>;
}

/**
 * The databases of an installation: the main one and the stores that MESSAGE_STORES names, each with an application. A
 * service's messages, queue, limits, statistics, callbacks, jobs and received texts are in one of them. Without further stores there is
 * nothing to look up.
 */
export class Stores<App extends OfStore> {
  readonly main: App;
  /** In the order of their numbers; the main one first. */
  readonly all: readonly App[];
  private readonly byNumber: ReadonlyMap<number, App>;
  private readonly services: ServiceStores;

  constructor(apps: readonly [App, ...App[]], services: ServiceStores) {
    this.main = apps[0];
    this.all = apps;
    this.byNumber = new Map(apps.map((app) => [app.store, app]));
    this.services = services;
  }

  get isOne(): boolean {
    return this.all.length === 1;
  }

  /** Where the messages of a service are. Synchronous where it is cached: the hot path asks for every message. */
  of(serviceId: string): App | Promise<App> {
    if (this.isOne) return this.main;
    const number = this.services.find(serviceId);
    return number instanceof Promise ? number.then((found) => this.numbered(found)) : this.numbered(number);
  }

  /** Where a message was stored when it was accepted. Ids that are not ours lead anywhere, to no message. */
  ofMessage(id: string): App {
    return this.byNumber.get(storeOfId(id)) ?? this.main;
  }

  /** Where the message of a reference may be, most likely first: our ids say it, unless the service was moved since. */
  ofReference(reference: string): readonly App[] {
    if (this.isOne || !isUuid(reference)) return this.all;
    const home = this.ofMessage(reference);
    return [home, ...this.all.filter((app) => app !== home)];
  }

  /** The rows of all stores, in the order of the stores. Fails when one is away: a figure without it would be wrong. */
  async collect<Row>(read: (app: App) => Promise<readonly Row[]>): Promise<Row[]> {
    const found = await Promise.all(this.all.map(read));
    return found.flat();
  }

  /** The same stores without those that match; the main one stays. */
  without(isMatch: (app: App) => boolean): Stores<App> {
    const others = this.all.slice(1).filter((app) => !isMatch(app));
    return new Stores([this.main, ...others], this.services);
  }

  /** The same stores, with another view of each application. */
  map<Other extends OfStore>(view: (app: App) => Other): Stores<Other> {
    const [main, ...others] = this.all.map(view);
    return new Stores([main as Other, ...others], this.services);
  }

  numbered(number = mainStore): App {
    const app = this.byNumber.get(number);
    if (!app) throw unavailable(`Store ${number} of this service is not configured`);
    return app;
  }
}

/** Another view of an application, and the same of those of the other stores. */
export function viewOf<App extends InStores<App>>(app: App, view: (one: App) => App): App {
  const stores = app.stores.map(view);
  for (const one of stores.all) one.stores = stores;
  return stores.all.find(({ store }) => store === app.store) ?? stores.main;
}
