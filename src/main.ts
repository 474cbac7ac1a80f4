#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { backupCommand } from './commands/backup.ts';
import { config } from './commands/config.ts';
import { consoleLink } from './commands/console-link.ts';
import { createAdmin } from './commands/create-admin.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { migrateCommand } from './commands/migrate.ts';
import { openapi } from './commands/openapi.ts';
import { print } from './commands/print.ts';
import { rekeyCommand } from './commands/rekey.ts';
import { restoreCommand } from './commands/restore.ts';
import { sandbox } from './commands/sandbox.ts';
import { send } from './commands/send.ts';
import { api, serve, worker } from './commands/serve.ts';
import { templates } from './commands/templates.ts';
import { readVersion } from './operations/build.ts';
import { explainSystemError } from './operations/system-errors.ts';
import { type Command, helpOn, readArguments, usage, whereSettingsAre } from './platform/command-line.ts';
import { isDatabaseUnavailable } from './platform/db/errors.ts';
import { DatabaseUnreachable } from './platform/db/migrate.ts';
import { OperatorError } from './platform/operator-error.ts';

/** Every command, in the order of the help text. */
const commands: Record<string, Command> = {
  serve,
  api,
  worker,
  migrate: migrateCommand,
  backup: backupCommand,
  restore: restoreCommand,
  demo,
  'console-link': consoleLink,
  'create-admin': createAdmin,
  rekey: rekeyCommand,
  doctor,
  sandbox,
  send,
  templates,
  config,
  openapi,
};

export async function main(args: string[]): Promise<void> {
  const [name = 'serve'] = args;
  if (name === '--version' || name === '-v') return print(readVersion());
  if (['help', '--help', '-h'].includes(name)) return print(help());
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new OperatorError(`Unknown command "${name}".\n\n${help()}`);
  const words = args.slice(1);
  if (words.some((word) => ['--help', '-h'].includes(word))) return print(helpOn(name, command));
  const { positionals, flags } = readArguments(words, command);
  if (positionals.length !== (command.takes?.split('> <').length ?? 0))
    throw new OperatorError(`Usage: pennypost ${usage(name, command)}`);
  await command.run(positionals, flags);
}

function help(): string {
  const uses = Object.entries(commands).map(([name, command]) => usage(name, command));
  const width = Math.max(...uses.map((use) => use.length)) + 2;
  const lines = Object.values(commands).map(
    ({ description }, index) => `  ${uses[index]?.padEnd(width)}${description}`,
  );
  return ['pennypost <command>', 'Without a command: serve.', '', ...lines, '', `All ${whereSettingsAre}`].join('\n');
}

/** An error that the operator can fix is printed without its stack. */
function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (isDatabaseUnavailable(error)) return new DatabaseUnreachable(error).message;
  return explainSystemError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  });
}
