import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { Platform } from '../platform.ts';
import type { SecretForm } from './secrets.ts';

/**
 * The database records the format of new ciphertexts. A database that an earlier release has used starts with the
 * format which that release can read, and switches when the operator confirms that no such process is left (`pennypost
 * rekey`).
 */
export async function followSecretForm({
  db,
  changeListener,
  secrets,
  log,
}: Pick<Platform, 'db' | 'changeListener' | 'secrets' | 'log'>): Promise<void> {
  const read = async () => {
    secrets.form = await selectSecretForm(db);
  };
  changeListener.on('secret_form_changed', (form) => {
    secrets.form = form === '1' ? 1 : 2;
  });
  await read();
  changeListener.onReset(
    () => void read().catch((error) => log.warn({ err: error }, 'could not read the secret format')),
  );
}

async function selectSecretForm(db: Db): Promise<SecretForm> {
  const { rows } = await sql<{ form: SecretForm }>`select form from secret_form`.execute(db);
  return rows[0]?.form === 1 ? 1 : 2;
}

export async function updateSecretForm(db: Db, form: SecretForm): Promise<void> {
  await sql`update secret_form set form = ${form} where form <> ${form}`.execute(db);
}
