import type { Config } from '../config.ts';

/** Where this console is, also when ADMIN_BASE_URL names another front end. */
export function consoleUrl({ urls }: Pick<Config, 'urls'>): string {
  return `${urls.api}/console`;
}

/** The messages that pages of the console send lead back to it. */
export function withOwnLinks<App extends { config: Pick<Config, 'urls'> }>(app: App): App {
  const urls = { ...app.config.urls, admin: consoleUrl(app.config) };
  return { ...app, config: { ...app.config, urls } };
}
