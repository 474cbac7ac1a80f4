import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { countDuplicates, type Outcome } from './outcome.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    faultRows: string;
  }
}

type Row = string[];

const columns = ['scenario', 'injected', 'accepted', 'final', 'seen by provider', 'duplicates', 'lost', 'observed'];

/** One row of the table at the end of the run. Call it before the expectations, so that it includes failures. */
export function report(scenario: string, injected: string, outcome: Outcome, observed: string[] = []): void {
  const { accepted, final, seen, duplicates, lost } = outcome;
  write([
    scenario,
    injected,
    ...[accepted, final, seen, countDuplicates(duplicates), lost.length].map(String),
    observed.join('; '),
  ]);
}

export function reportNotRun(scenario: string, reason: string): void {
  write([scenario, 'not run', '-', '-', '-', '-', '-', reason]);
}

function write(row: Row): void {
  appendFileSync(inject('faultRows'), `${JSON.stringify(row)}\n`);
}

/** Global set-up: the table is printed when the last scenario has ended. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-fault-rows-'));
  const file = join(folder, 'rows');
  appendFileSync(file, '');
  project.provide('faultRows', file);
  return () => {
    const rows: Row[] = readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    rmSync(folder, { recursive: true });
    process.stdout.write(`\nWhat was injected, and what was lost\n\n${table([columns, ...rows])}\n`);
  };
}

/** Markdown, for the documents. */
function table(rows: Row[]): string {
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const line = (row: Row) => `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('');
}
