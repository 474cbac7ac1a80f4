import type { Db } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import { platformServiceId } from '../../users/account-messages/account-messages.ts';
import { clearValues, replaceSecretValues, selectSecretValues } from './notifications.sql.ts';

const purpose = 'personalisation';

/** A stored message: secret values (codes, links to accounts and files) are encrypted in their own column. */
interface StoredValues {
  id: string;
  personalisation: Record<string, unknown>;
  secret_personalisation: string | null;
}

export function encryptValues({ secrets }: Platform, id: string, values: Record<string, unknown>): string {
  return secrets.encrypt(purpose, JSON.stringify(values), id);
}

/** Returns all values, to render a template. */
export function valuesOf({ secrets }: Platform, { id, personalisation, secret_personalisation }: StoredValues) {
  if (secret_personalisation === null) return personalisation;
  const plain = secrets.decrypt(purpose, secret_personalisation, id);
  if (!plain) throw new Error('Values of a message cannot be decrypted: does SECRET_KEYS lack a key?');
  return { ...personalisation, ...(JSON.parse(plain.toString()) as Record<string, unknown>) };
}

/** Values that the service's own API shows. Values deleted after delivery show as hidden. */
export function shownValues(
  app: Platform,
  message: StoredValues & { service_id: string },
  placeholders: readonly string[],
): Record<string, unknown> {
  const values = valuesOf(app, message);
  return message.service_id === platformServiceId ? { ...hidden(placeholders), ...values } : values;
}

/** Values that the admin front end shows: hides codes and links of account messages, which only recipients may see. */
export function valuesForAdmin(
  app: Platform,
  message: StoredValues & { service_id: string },
  placeholders: readonly string[],
): Record<string, unknown> {
  return message.service_id === platformServiceId ? hidden(placeholders) : valuesOf(app, message);
}

export function hidden(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, '[hidden]']));
}

/** Deletes values of account messages that a provider has accepted: nothing reads their codes and links afterwards. */
export async function forgetAccountValues(db: Db, messages: { id: string; service_id: string }[]): Promise<void> {
  const ids = messages.filter(({ service_id }) => service_id === platformServiceId).map(({ id }) => id);
  if (ids.length > 0) await clearValues(db, ids);
}

export const secretValues: EncryptedValues = {
  name: 'codes and links of messages',
  purpose,
  select: selectSecretValues,
  replace: replaceSecretValues,
};
