import type { Command } from '../platform/command-line.ts';
import { listSettings } from './list-settings.ts';
import { print } from './print.ts';
import { readConfig } from './read-config.ts';

export const config: Command = {
  run,
};

async function run(): Promise<void> {
  for (const line of listSettings(readConfig())) print(line);
}
