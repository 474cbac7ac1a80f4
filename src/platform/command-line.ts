import { parseArgs } from 'node:util';
import { OperatorError } from './failure.ts';

/** A command's entry in the list of all commands. */
export interface ListedCommand {
  description: string;
  /** Positional arguments, as shown in the usage. */
  takes?: string;
  load(): Promise<Command>;
}

export interface Command {
  /** By name, without dashes. A flag with `value` takes one and may be repeated. */
  flags?: Record<string, { value?: string; description: string }>;
  /** Additional lines of the command's own help. */
  more?: string[];
  run(args: string[], flags: Flags): Promise<void>;
}

/** The values given for each flag; an empty string for a flag without a value. */
export type Flags = Record<string, string[] | undefined>;

export const whereSettingsAre =
  'settings come from the environment (PORT=8080 pennypost serve); `pennypost config` lists them and docs/configuration.md explains them.';

export function readArguments(args: string[], { flags: known = {} }: Command): { positionals: string[]; flags: Flags } {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: true },
    ]),
  );
  const { positionals, tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  const flags: Flags = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (!Object.hasOwn(known, name)) throw new OperatorError(`Unknown flag ${rawName}: ${whereSettingsAre}`);
    const wanted = known[name]?.value;
    if ((wanted === undefined) !== (value === undefined)) {
      throw new OperatorError(
        wanted === undefined ? `${rawName} takes no value.` : `${rawName} needs ${wanted} after it.`,
      );
    }
    flags[name] = [...(flags[name] ?? []), value ?? ''];
  }
  return { positionals, flags };
}

export function helpOn(name: string, listed: ListedCommand, { more = [], flags = {} }: Command): string {
  const uses = Object.entries(flags).map(([flag, { value }]) => `--${flag}${value ? ` ${value}` : ''}`);
  const width = Math.max(...uses.map((use) => use.length)) + 2;
  const lines = Object.values(flags).map((flag, index) => `  ${uses[index]?.padEnd(width)}${flag.description}`);
  return [`pennypost ${usage(name, listed)}`, '', `${listed.description}.`, ...more, ...lines].join('\n');
}

export function usage(name: string, { takes }: ListedCommand): string {
  return takes ? `${name} ${takes}` : name;
}

/** Standard output is reserved for the result of a command; logs go elsewhere. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** For a person at a terminal. A nightly backup would email each of these lines. */
export function printProgress(text: string): void {
  if (process.stdout.isTTY) print(text);
}
