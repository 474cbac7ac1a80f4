import { readConfig } from '../config.ts';
import { rekey } from '../operations/rekey.ts';
import type { Command } from '../platform/command-line.ts';
import { print } from './print.ts';
import { withDatabase } from './with-database.ts';

export const rekeyCommand: Command = {
  description: 'Encrypt everything again with the first key of SECRET_KEYS, while the service runs',
  more: [
    'First restart every process of the service with SECRET_KEYS=<new>,<old>; then run this with the same; then take the old',
    'one out. Links that were sent before stop working when the key that they were made with is taken out.',
    'It works in small steps and can be stopped and run again: what is done is skipped.',
    'After an upgrade from 0.2.0 it also changes to a form that binds each secret to its row: run it once every process',
    'runs this release.',
  ],
  run,
};

async function run(): Promise<void> {
  const config = readConfig(undefined, undefined, { shortKeysMayRead: true });
  await withDatabase(config, (url) => rekey({ url, secretKeys: config.SECRET_KEYS, say: print }));
  print('Everything is encrypted with the first key.');
}
