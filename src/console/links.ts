import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';

/** Returns the URL of a page from its path below the console. */
export function pageUrl(path: string): string {
  return `/console${path}`;
}

/** Returns the URL of this console, even if ADMIN_BASE_URL names another front end. */
export function consoleUrl({ urls }: { urls: Urls }): string {
  return `${urls.api}${pageUrl('')}`;
}

/** Makes messages that the console sends link back to the console. */
export function withOwnLinks<App extends { config: { urls: Urls } }>(app: App): App {
  const urls = { ...app.config.urls, admin: consoleUrl(app.config) };
  return { ...app, config: { ...app.config, urls } };
}

/** Returns a URL with query parameters; omits those without a value. */
export function withQuery(path: string, values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

const here = 'http://console.invalid';

/** Returns the path below /console that was requested before signing in. Anything else becomes the start page. */
export function nextPage(text: string): string {
  const url = URL.canParse(text, here) ? new URL(text, here) : undefined;
  const isOurs = url?.origin === here && /^\/console(\/|$)/.test(url.pathname);
  return isOurs ? `${url.pathname.slice('/console'.length)}${url.search}` : '';
}

const purpose = 'console:search';

interface Person {
  user: { id: string };
}

/**
 * Encrypts a search for this person. A search is posted and then becomes part of URLs, which reach logs and browser histories, and it often
 * names a recipient.
 */
export function keepSearch({ secrets }: Platform, { user }: Person, text: string): string {
  return text === '' ? '' : secrets.encrypt(purpose, text, user.id);
}

export function readSearch({ secrets }: Platform, { user }: Person, kept: string): string {
  return (kept && secrets.decrypt(purpose, kept, user.id)?.toString()) || '';
}
