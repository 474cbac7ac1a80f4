import type { Db } from '../../platform/db/database.ts';
import { nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import { platformServiceId } from '../../users/account-messages.ts';
import { clearValues, replaceSecretValues, selectHandedOver, selectSecretValues } from './secret-values.sql.ts';

const purpose = 'personalisation';

type Secrets = Pick<Platform, 'secrets'>;

/** A message as it is kept: values that open something (codes, links to accounts and files) are encrypted, apart. */
interface KeptValues {
  id: string;
  personalisation: Record<string, unknown>;
  secret_personalisation: string | null;
}

/** Null while a release that could not read it may still deliver messages: then they are kept like any others. */
export function encryptValues({ secrets }: Secrets, id: string, values: Record<string, unknown>): string | null {
  return secrets.form === 1 ? null : secrets.encrypt(purpose, JSON.stringify(values), id);
}

/** All values, to fill a template with. */
export function valuesOf({ secrets }: Secrets, { id, personalisation, secret_personalisation }: KeptValues) {
  if (secret_personalisation === null) return personalisation;
  const plain = secrets.decrypt(purpose, secret_personalisation, id);
  if (!plain) throw new Error('Values of a message cannot be decrypted: does SECRET_KEYS lack a key?');
  return { ...personalisation, ...(JSON.parse(plain.toString()) as Record<string, unknown>) };
}

/** What the service itself reads of its message. Values that were deleted after the hand-over are hidden. */
export function shownValues(
  app: Secrets,
  message: KeptValues & { service_id: string },
  placeholders: readonly string[],
): Record<string, unknown> {
  const values = valuesOf(app, message);
  return message.service_id === platformServiceId ? { ...hidden(placeholders), ...values } : values;
}

/** What an administrative front end shows: the codes and links of account messages are for their recipients alone. */
export function valuesForAdmin(
  app: Secrets,
  message: KeptValues & { service_id: string },
  placeholders: readonly string[],
): Record<string, unknown> {
  return message.service_id === platformServiceId ? hidden(placeholders) : valuesOf(app, message);
}

export function hidden(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, '[hidden]']));
}

/** Of account messages that a provider has taken: no code reads their codes and links any more. */
export async function forgetAccountValues(db: Db, messages: { id: string; service_id: string }[]): Promise<void> {
  const ids = messages.filter(({ service_id }) => service_id === platformServiceId).map(({ id }) => id);
  if (ids.length > 0) await clearValues(db, ids);
}

const batch = 500;

/** For messages of a release that kept them. */
export async function forgetOldAccountValues(db: Db): Promise<number> {
  let forgotten = 0;
  for (let after = nilId; ; ) {
    const seen = await selectHandedOver(db, platformServiceId, after, batch);
    after = seen.at(-1)?.id ?? '';
    if (after === '') return forgotten;
    const ids = seen.filter(({ has_values }) => has_values).map(({ id }) => id);
    await clearValues(db, ids);
    forgotten += ids.length;
  }
}

export const secretValues: EncryptedValues = {
  name: 'codes and links of messages',
  purpose,
  select: selectSecretValues,
  replace: replaceSecretValues,
};
