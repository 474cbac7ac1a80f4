import { print } from '../../platform/command-line.ts';
import { shown } from './folder.ts';
import type { FileProblem } from './settings-reader.ts';
import type { LocalTemplate, ServerTemplate } from './template.ts';

/** In order of urgency: the first that applies is the exit code. */
export const exitCodes = { failed: 1, problems: 2, conflicts: 3 };

export function fail(code: number, text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}

export function printProblems(problems: FileProblem[]): void {
  for (const { path, line, message } of problems) print(printable(`${shown(path)}:${line}: ${message}`));
}

/** Removes control characters, because names come from the server and could control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '�');
}

export function described(local: LocalTemplate | undefined, before: ServerTemplate | undefined): string {
  if (local) return printable(shown(local.path));
  return printable(`"${before?.fields.name}" (${before?.fields.channel}, ${before?.id})`);
}

export const count = (value: number, noun: string) => `${value} ${noun}${value === 1 ? '' : 's'}`;
