import type { Config } from '../config.ts';

/** Where this console is, also when ADMIN_BASE_URL names another front end. */
export function consoleUrl({ urls }: Pick<Config, 'urls'>): string {
  return `${urls.api}/console`;
}
