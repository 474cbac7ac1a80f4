import { createCountry } from '../../countries/country.ts';
import { restore } from '../../operations/backup/restore.ts';
import { type Command, type Flags, print } from '../../platform/command-line.ts';
import { createLog } from '../../platform/log.ts';
import { secretFile } from '../../platform/secrets/generated-secrets.ts';
import { seeds } from '../../seeds.ts';
import { readConfig } from '../read-config.ts';
import { withDatabase } from '../with-database.ts';

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
  run,
};

async function run([folder = '']: string[], flags: Flags): Promise<void> {
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
