import { readConfig } from '../config.ts';
import { describeDemo } from '../operations/banner.ts';
import { readDemo } from '../operations/demo.ts';
import { findListeningAddress } from '../operations/listening-address.ts';
import type { Command } from '../platform/command-line.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { print } from './print.ts';

export const demo: Command = {
  description: 'Print the key and the templates of the demonstration, and a first message to send',
  more: ['For the demonstration of a running server with the same DATA_DIR; see DEMO in docs/configuration.md.'],
  run,
};

async function run(): Promise<void> {
  const config = readConfig();
  if (!config.DEMO) throw new OperatorError('There is no demonstration with these settings: set DEMO=true for one.');
  const demo = readDemo(config.DATA_DIR);
  if (!demo) throw new OperatorError(`There is no demonstration in ${config.DATA_DIR} yet: start the server first.`);
  const address = await findListeningAddress(config.DATA_DIR);
  if (!address)
    throw new OperatorError(
      `No server with the data folder ${config.DATA_DIR} is running: start it, then run this again.`,
    );
  print(describeDemo(demo, address, config));
}
