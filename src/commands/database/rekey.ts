import { rekey } from '../../operations/rekey.ts';
import { type Command, print } from '../../platform/command-line.ts';
import { readConfig } from '../read-config.ts';
import { withDatabase } from '../with-database.ts';

export const rekeyCommand: Command = {
  more: [
    'First restart every process of the service with SECRET_KEYS=<new>,<old>; then run this command with the same setting;',
    'then remove the old key. Links signed with the old key stop working when it is removed.',
    'The command works in small batches. You can interrupt it and run it again.',
  ],
  run,
};

async function run(): Promise<void> {
  const config = readConfig(undefined, undefined, { shortKeysMayRead: true });
  await withDatabase(config, (url) => rekey({ url, secretKeys: config.encryption.keys, say: print }));
  print('Everything is now encrypted with the first key.');
}
