import { describeDemo } from '../operations/banner.ts';
import { readDemo } from '../operations/demo.ts';
import { findListeningAddress } from '../operations/listening-address.ts';
import { type Command, print } from '../platform/command-line.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { readConfig } from './read-config.ts';

export const demo: Command = {
  more: ['The server must be running with the same DATA_DIR. See DEMO in docs/configuration.md.'],
  run,
};

async function run(): Promise<void> {
  const config = readConfig();
  if (!config.demo.enabled)
    throw new OperatorError('The demo is disabled with these settings: set DEMO=true to enable it.');
  const demo = readDemo(config.storage.dataDir);
  if (!demo) throw new OperatorError(`No demo exists in ${config.storage.dataDir} yet: start the server first.`);
  const address = await findListeningAddress(config.storage.dataDir);
  if (!address)
    throw new OperatorError(
      `No server with the data folder ${config.storage.dataDir} is running: start it, then run this again.`,
    );
  print(describeDemo(demo, address, config));
}
