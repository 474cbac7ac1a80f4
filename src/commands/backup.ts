import { existsSync, readFileSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import { backup } from '../operations/backup/backup.ts';
import type { Command, Flags } from '../platform/command-line.ts';
import { secretFile } from '../platform/secrets/generated-secrets.ts';
import { print } from './print.ts';
import { withDatabase } from './with-database.ts';

export const backupCommand: Command = {
  description: 'Write a backup into a new folder, while the service runs',
  more: [
    'It holds one moment of the database, and the files of DATA_DIR. What the database keeps encrypted opens only with the',
    'secret key, which is left out: keep a copy of it apart, because a restore needs both.',
  ],
  takes: '<folder>',
  flags: {
    'with-secrets': {
      description: 'add the generated secrets of DATA_DIR: then whoever has the backup has everything',
    },
    recipient: { value: '<age1...>', description: 'encrypt it to this recipient of age; can be given several times' },
    'passphrase-file': { value: '<file>', description: 'encrypt it with the passphrase in this file' },
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
    backup({ url, dataDir: config.DATA_DIR, folder, say: print, withSecrets, recipients, passphraseFile }),
  );
  print(
    `The backup is in ${folder}${isEncrypted ? ', encrypted' : ''}. It holds personal data${withSecrets ? ' and secrets' : ''}: keep it as safe as the database.`,
  );
  if (!withSecrets)
    print(`Without the secret key it is not whole: keep a copy apart. It is ${whereSecretKeyIs(config)}.`);
}

function whereSecretKeyIs({ SECRET_KEYS, DATA_DIR }: Config): string {
  const file = secretFile(DATA_DIR, 'secret-key');
  const isGenerated = existsSync(file) && readFileSync(file, 'utf8').trim() === SECRET_KEYS[0];
  return isGenerated ? `in ${file}` : 'what SECRET_KEY or SECRET_KEYS is set to';
}
