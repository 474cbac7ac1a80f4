import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { Platform } from '../platform.ts';
import type { SecretForm } from './secrets.ts';

/**
 * In which form ciphertexts are written is a fact of the database: one that an earlier release has used starts in the form
 * which that release can read, and changes over when an operator says that no such process is left (`pennypost rekey`).
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
    () => void read().catch((error) => log.warn({ err: error }, 'the form of secrets could not be read')),
  );
}

async function selectSecretForm(db: Db): Promise<SecretForm> {
  const { rows } = await sql<{ form: SecretForm }>`select form from secret_form`.execute(db);
  return rows[0]?.form === 1 ? 1 : 2;
}

export async function updateSecretForm(db: Db, form: SecretForm): Promise<void> {
  await sql`update secret_form set form = ${form} where form <> ${form}`.execute(db);
}
