import { describeDemo } from '../operations/banner.ts';
import { readDemo } from '../operations/demo.ts';
import { findListeningAddress } from '../operations/listening-address.ts';
import { type Command, print } from '../platform/command-line.ts';
import { OperatorError } from '../platform/failure.ts';
import { readConfig } from './read-config.ts';

export const demo: Command = {
  more: ['The server must be running with the same DATA_DIR. See DEMO in docs/configuration.md.'],
  run,
};

async function run(): Promise<void> {
  const config = readConfig();
  if (!config.demo.enabled)
    throw new OperatorError('The demo is off with these settings. To switch it on, set DEMO=true.');
  const demo = readDemo(config.storage.dataDir);
  if (!demo) throw new OperatorError(`${config.storage.dataDir} has no demo yet: start the server first.`);
  const address = await findListeningAddress(config.storage.dataDir);
  if (!address)
    throw new OperatorError(
      `No server is running with the data folder ${config.storage.dataDir}. Start the server, then run this again.`,
    );
  print(describeDemo(demo, address, config));
}
