#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commands } from './commands/commands.ts';
import { EmbeddedPostgresError } from './libraries/embedded-postgres/embedded-postgres-error.ts';
import { readVersion } from './operations/build.ts';
import { explainSystemError } from './operations/system-errors.ts';
import { helpOn, print, readArguments, usage, whereSettingsAre } from './platform/command-line.ts';
import { DatabaseUnreachable, isDatabaseUnavailable } from './platform/db/errors.ts';
import { OperatorError } from './platform/failure.ts';

export async function main(args: string[]): Promise<void> {
  const [name = 'serve'] = args;
  if (name === '--version' || name === '-v') return print(readVersion());
  if (['help', '--help', '-h'].includes(name)) return print(help());
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!listed) throw new OperatorError(`Unknown command "${name}".\n\n${help()}`);
  const command = await listed.load();
  const words = args.slice(1);
  if (words.some((word) => ['--help', '-h'].includes(word))) return print(helpOn(name, listed, command));
  const { positionals, flags } = readArguments(words, command);
  if (positionals.length !== (listed.takes?.split('> <').length ?? 0))
    throw new OperatorError(`Usage: pennypost ${usage(name, listed)}`);
  await command.run(positionals, flags);
}

function help(): string {
  const uses = Object.entries(commands).map(([name, listed]) => usage(name, listed));
  const width = Math.max(...uses.map((use) => use.length)) + 2;
  const lines = Object.values(commands).map(
    ({ description }, index) => `  ${uses[index]?.padEnd(width)}${description}`,
  );
  return ['pennypost <command>', 'Without a command: serve.', '', ...lines, '', `All ${whereSettingsAre}`].join('\n');
}

/** Prints an error that the operator can fix without its stack. */
function explain(error: unknown): string {
  if (error instanceof OperatorError || error instanceof EmbeddedPostgresError) return error.message;
  if (isDatabaseUnavailable(error)) return new DatabaseUnreachable(error).message;
  return explainSystemError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  });
}
