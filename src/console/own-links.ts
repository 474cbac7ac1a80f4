import type { Urls } from '../platform/settings.ts';

/** Where this console is, also when ADMIN_BASE_URL names another front end. */
export function consoleUrl({ urls }: { urls: Urls }): string {
  return `${urls.api}/console`;
}

/** The messages that pages of the console send lead back to it. */
export function withOwnLinks<App extends { config: { urls: Urls } }>(app: App): App {
  const urls = { ...app.config.urls, admin: consoleUrl(app.config) };
  return { ...app, config: { ...app.config, urls } };
}
