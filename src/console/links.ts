import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';

/** The URL of a page, from its path below the console. */
export function pageUrl(path: string): string {
  return `/console${path}`;
}

/** Where this console is, also when ADMIN_BASE_URL names another front end. */
export function consoleUrl({ urls }: { urls: Urls }): string {
  return `${urls.api}${pageUrl('')}`;
}

/** The messages that pages of the console send lead back to it. */
export function withOwnLinks<App extends { config: { urls: Urls } }>(app: App): App {
  const urls = { ...app.config.urls, admin: consoleUrl(app.config) };
  return { ...app, config: { ...app.config, urls } };
}

/** An address with query parameters; those without a value are left out. */
export function withQuery(path: string, values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

const here = 'http://console.invalid';

/** The path below /console of a page that was asked for before signing in. Anything else leads to the start. */
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
 * What a person searched for, encrypted for this person: a search is posted and then part of addresses, which reach logs and
 * histories, and it often names a recipient.
 */
export function keepSearch({ secrets }: Platform, { user }: Person, text: string): string {
  return text === '' ? '' : secrets.encrypt(purpose, text, user.id);
}

export function readSearch({ secrets }: Platform, { user }: Person, kept: string): string {
  return (kept && secrets.decrypt(purpose, kept, user.id)?.toString()) || '';
}
