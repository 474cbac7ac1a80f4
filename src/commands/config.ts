import { readConfig } from '../config.ts';
import { listSettings } from '../operations/list-settings.ts';
import type { Command } from '../platform/command-line.ts';
import { print } from './print.ts';

export const config: Command = {
  description: 'Print every setting and its value, without secrets',
  run,
};

async function run(): Promise<void> {
  for (const line of listSettings(readConfig())) print(line);
}
