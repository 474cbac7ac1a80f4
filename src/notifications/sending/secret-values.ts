import type { Db } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import { platformServiceId } from '../../users/platform-user.ts';
import type { StoredAttachment } from '../attachments/attachments.ts';
import { clearValues, replaceSecretValues, selectSecretValues } from './notifications.sql.ts';
import { withoutKeptHeaders } from './over-smtp.ts';

const purpose = 'personalisation';

/** A stored message. Secret values (codes, links to accounts and files) are encrypted in their own column. */
interface StoredValues {
  id: string;
  personalisation: Record<string, unknown>;
  secret_personalisation: string | null;
}

/** Marks that attachments precede the values, which may have any name. */
const attachmentsMark = 'attachments ';

export function encryptValues(
  { secrets }: Platform,
  id: string,
  values: Record<string, unknown>,
  attachments: StoredAttachment[] = [],
): string {
  const text =
    attachments.length === 0 ? JSON.stringify(values) : attachmentsMark + JSON.stringify({ attachments, values });
  return secrets.encrypt(purpose, text, id);
}

interface Secrets {
  values: Record<string, unknown>;
  attachments: StoredAttachment[];
}

function decryptSecrets(
  { secrets }: Platform,
  { id, secret_personalisation }: Pick<StoredValues, 'id' | 'secret_personalisation'>,
): Secrets {
  if (secret_personalisation === null) return { values: {}, attachments: [] };
  const plain = secrets.decrypt(purpose, secret_personalisation, id)?.toString();
  if (plain === undefined) throw new Error('Values of a message cannot be decrypted: does SECRET_KEYS lack a key?');
  if (plain.startsWith(attachmentsMark)) return JSON.parse(plain.slice(attachmentsMark.length)) as Secrets;
  return { values: JSON.parse(plain) as Secrets['values'], attachments: [] };
}

/** Returns all values, for rendering. */
export function valuesOf(app: Platform, message: StoredValues): Record<string, unknown> {
  const { personalisation, secret_personalisation } = message;
  const values = withoutKeptHeaders(personalisation);
  return secret_personalisation === null ? values : { ...values, ...decryptSecrets(app, message).values };
}

export function attachmentsOf(
  app: Platform,
  message: Pick<StoredValues, 'id' | 'secret_personalisation'>,
): StoredAttachment[] {
  return decryptSecrets(app, message).attachments;
}

/** Returns the values that the service's own API shows. Values deleted after delivery are shown as hidden. */
export function shownValues(
  app: Platform,
  message: StoredValues & { service_id: string },
  placeholders: readonly string[],
): Record<string, unknown> {
  const values = valuesOf(app, message);
  return message.service_id === platformServiceId ? { ...hidden(placeholders), ...values } : values;
}

/** Returns the values that the admin front end shows. Hides codes and links of account messages, which only recipients may see. */
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

/** Deletes values of account messages that a provider has accepted, because nothing reads their codes and links afterwards. */
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
