import type { Config } from '../config.ts';
import { type InStores, viewOf } from '../stores/stores.ts';

/** Where this console is, also when ADMIN_BASE_URL names another front end. */
export function consoleUrl({ urls }: Pick<Config, 'urls'>): string {
  return `${urls.api}/console`;
}

/** The messages that pages of the console send lead back to it. */
export function withOwnLinks<App extends InStores<App> & { config: Pick<Config, 'urls'> }>(app: App): App {
  const urls = { ...app.config.urls, admin: consoleUrl(app.config) };
  return viewOf(app, (one) => ({ ...one, config: { ...one.config, urls } }));
}
