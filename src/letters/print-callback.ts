import type { Config } from '../config.ts';
import { isUuid } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';

const purpose = 'print-callback';

/** Where the printer reports what became of a letter; the token says which letter, and that we named it. */
export function printCallbackUrl(
  app: Pick<Platform, 'secrets'> & { config: Pick<Config, 'BASE_URL'> },
  notificationId: string,
): string {
  return `${app.config.BASE_URL}/notifications/letter/status?token=${app.secrets.encrypt(purpose, notificationId)}`;
}

/** The letter that a token stands for; undefined when it is not one of ours. */
export function readPrintCallbackToken(app: Pick<Platform, 'secrets'>, token: string): string | undefined {
  const id = app.secrets.decrypt(purpose, token)?.toString();
  return isUuid(id) ? id : undefined;
}
