import { readConfig } from '../config.ts';
import { restore } from '../operations/backup/backup.ts';
import type { Command, Flags } from '../platform/command-line.ts';
import { createLog } from '../platform/log.ts';
import { secretFile } from '../platform/secrets/generated-secrets.ts';
import { print } from './print.ts';
import { withDatabase } from './with-database.ts';

export const restoreCommand: Command = {
  description: 'Load a backup into an unused database',
  more: [
    'Into DATABASE_URL, or else a new one in DATA_DIR: DATA_DIR=/new/data pennypost restore /backups/2026-11-15',
    'A backup of an older version is brought up to date.',
    'What waited when the backup was made is sent, even if it was sent since; with --end-unsent it fails instead.',
  ],
  takes: '<folder>',
  flags: {
    'end-unsent': { description: 'end what waited to be sent as failed, instead of sending it' },
    identity: { value: '<file>', description: 'identity file of age, for a backup that was encrypted to a recipient' },
    'passphrase-file': { value: '<file>', description: 'for a backup that was encrypted with a passphrase' },
  },
  run,
};

async function run([folder = '']: string[], flags: Flags): Promise<void> {
  const config = readConfig();
  const log = createLog(config.LOG_LEVEL);
  const opening = {
    endUnsent: flags['end-unsent'] !== undefined,
    identityFile: flags.identity?.at(-1),
    passphraseFile: flags['passphrase-file']?.at(-1),
  };
  let secrets = 0;
  await withDatabase(config, async (url) => {
    ({ secrets } = await restore({ url, dataDir: config.DATA_DIR, folder, say: print, log, ...opening }));
  });
  print(
    secrets > 0
      ? 'Restored, with the secrets that were generated. Where SECRET_KEY was set, start the service with the same one.'
      : `Restored. The backup holds no secrets: start the service with the SECRET_KEY that it was used with, or put that key into ${secretFile(config.DATA_DIR, 'secret-key')}.`,
  );
}
