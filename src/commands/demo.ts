import { readConfig } from '../config.ts';
import { describeDemo } from '../operations/banner.ts';
import { readDemo } from '../operations/demo.ts';
import { findListeningAddress } from '../operations/listening-address.ts';
import type { Command } from '../platform/command-line.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { print } from './print.ts';

export const demo: Command = {
  description: 'Print the API key and templates of the demo, and a first request to try',
  more: ['The server must be running with the same DATA_DIR. See DEMO in docs/configuration.md.'],
  run,
};

async function run(): Promise<void> {
  const config = readConfig();
  if (!config.DEMO) throw new OperatorError('The demo is disabled with these settings: set DEMO=true to enable it.');
  const demo = readDemo(config.DATA_DIR);
  if (!demo) throw new OperatorError(`No demo exists in ${config.DATA_DIR} yet: start the server first.`);
  const address = await findListeningAddress(config.DATA_DIR);
  if (!address)
    throw new OperatorError(
      `No server with the data folder ${config.DATA_DIR} is running: start it, then run this again.`,
    );
  print(describeDemo(demo, address, config));
}
