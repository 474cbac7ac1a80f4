import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { backup } from '../../operations/backup/backup.ts';
import { type Command, type Flags, print, printProgress } from '../../platform/command-line.ts';
import { secretFile } from '../../platform/secrets/generated-secrets.ts';
import { readConfig } from '../read-config.ts';
import { withDatabase } from '../with-database.ts';

export const backupCommand: Command = {
  more: [
    'Contains a consistent snapshot of the database and the files of DATA_DIR. The backup does not contain the secret key, which',
    'decrypts secrets in the database: keep a separate copy of the key, because a restore needs both.',
  ],
  flags: {
    'with-secrets': {
      description: 'Include the generated secrets of DATA_DIR; anyone with the backup can then decrypt everything',
    },
    recipient: { value: '<age1...>', description: 'Encrypt to this age recipient; can be repeated' },
    'passphrase-file': { value: '<file>', description: 'Encrypt with the passphrase in this file' },
  },
  run,
};

async function run([folder = '']: string[], flags: Flags): Promise<void> {
  const config = readConfig();
  const withSecrets = flags['with-secrets'] !== undefined;
  const recipients = flags.recipient;
  const passphraseFile = flags['passphrase-file']?.at(-1);
  const isEncrypted = recipients !== undefined || passphraseFile !== undefined;
  await withDatabase(config, (url) =>
    backup({
      url,
      replicaUrl: config.database.replicaUrl,
      dataDir: config.storage.dataDir,
      folder,
      say: printProgress,
      withSecrets,
      recipients,
      passphraseFile,
    }),
  );
  print(
    `The backup is in ${folder}${isEncrypted ? ', encrypted' : ''}. It contains personal data${withSecrets ? ' and secrets' : ''}: protect it like the database.`,
  );
  if (!withSecrets)
    print(`The backup does not contain the secret key: keep a separate copy. It is ${whereSecretKeyIs(config)}.`);
}

function whereSecretKeyIs({ encryption, storage }: Config): string {
  const file = secretFile(storage.dataDir, 'secret-key');
  const isGenerated = existsSync(file) && readFileSync(file, 'utf8').trim() === encryption.keys[0];
  return isGenerated ? `in ${file}` : 'what SECRET_KEY or SECRET_KEYS is set to';
}
