import { examine } from '../operations/doctor/doctor.ts';
import { type Command, print } from '../platform/command-line.ts';
import { readConfig } from './read-config.ts';
import { withDatabase } from './with-database.ts';

export const doctor: Command = {
  run,
};

async function run(): Promise<void> {
  const config = readConfig();
  await withDatabase(config, async (url) => {
    const findings = await examine(config, url);
    for (const { name, ok, is_warning, description } of findings)
      print(`${ok ? (is_warning ? 'warning' : 'ok     ') : 'PROBLEM'}  ${name.padEnd(12)} ${description}`);
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  });
}
