import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { createCountry } from '../countries/country.ts';
import { backup } from '../operations/backup/backup.ts';
import { restore } from '../operations/backup/restore.ts';
import { prepareDatabase } from '../operations/country/installation.ts';
import { rekey } from '../operations/rekey.ts';
import { type Command, type Flags, print, printProgress } from '../platform/command-line.ts';
import { createLog } from '../platform/log.ts';
import { secretFile } from '../platform/secrets/generated-secrets.ts';
import { seeds } from '../seeds.ts';
import { readConfig } from './read-config.ts';
import { openOrEmbed, withDatabase } from './with-database.ts';

export const migrateCommand: Command = {
  more: [
    'The server also does this on every start. The previous release keeps working during and after the migration.',
  ],
  run: runMigrate,
};

async function runMigrate(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.log.level);
  const database = await openOrEmbed(config, log);
  try {
    const applied = await prepareDatabase(config.database.sessionUrl ?? database.url, log, {
      profile: config.country.profile,
      languages: config.country.offered,
      seeds,
      wait_ms: config.database.wait_ms,
    });
    print(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
  } finally {
    await database.stop();
  }
}

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
  run: runBackup,
};

async function runBackup([folder = '']: string[], flags: Flags): Promise<void> {
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

export const restoreCommand: Command = {
  more: [
    'Restores into DATABASE_URL, or a new embedded database in DATA_DIR: DATA_DIR=/new/data pennypost restore /backups/2026-11-15',
    'A backup of an older version is migrated.',
    'Messages that were queued at the time of the backup are sent, possibly again; --end-unsent marks them as failed.',
  ],
  flags: {
    'end-unsent': { description: 'Mark queued messages as failed instead of sending them' },
    identity: { value: '<file>', description: 'The age identity file, for a backup encrypted to a recipient' },
    'passphrase-file': { value: '<file>', description: 'The passphrase, for a backup encrypted with one' },
  },
  run: runRestore,
};

async function runRestore([folder = '']: string[], flags: Flags): Promise<void> {
  const config = readConfig();
  const log = createLog(config.log.level);
  const opening = {
    endUnsent: flags['end-unsent'] !== undefined,
    identityFile: flags.identity?.at(-1),
    passphraseFile: flags['passphrase-file']?.at(-1),
  };
  let secrets = 0;
  await withDatabase(config, async (url) => {
    const into = { url, dataDir: config.storage.dataDir, country: createCountry(config.country.profile) };
    ({ secrets } = await restore({ ...into, folder, say: print, log, seeds, ...opening }));
  });
  print(
    secrets > 0
      ? 'Restored, including the generated secrets. If SECRET_KEY was set, start the service with the same value.'
      : `Restored. The backup contains no secrets: start the service with its original SECRET_KEY, or write that key to ${secretFile(config.storage.dataDir, 'secret-key')}.`,
  );
}

export const rekeyCommand: Command = {
  more: [
    'First restart every process of the service with SECRET_KEYS=<new>,<old>; then run this command with the same setting;',
    'then remove the old key. Links signed with the old key stop working when it is removed.',
    'The command works in small batches. You can interrupt it and run it again.',
  ],
  run: runRekey,
};

async function runRekey(): Promise<void> {
  const config = readConfig(undefined, undefined, { shortKeysMayRead: true });
  await withDatabase(config, (url) => rekey({ url, secretKeys: config.encryption.keys, say: print }));
  print('Everything is now encrypted with the first key.');
}
