import { createTwoFilesPatch } from 'diff';
import type { Country } from '../../countries/country.ts';
import { print } from '../../platform/command-line.ts';
import { readFolder, shown } from './folder.ts';
import { makePlan } from './plan.ts';
import { count, exitCodes, fail, printable, printProblems } from './report.ts';
import type { TemplateFields, TemplateServer } from './template.ts';
import { writeTemplate } from './template-file.ts';

/** Texts with little in common would take minutes to compare. */
const timeout_ms = 2_000;

/** Exit codes are those of diff(1): 0 if equal, 1 if different, 2 for problems. */
export async function diff(country: Country, root: string, server: TemplateServer): Promise<void> {
  const { templates, problems } = await readFolder(country, root);
  if (problems.length > 0) {
    printProblems(problems);
    return fail(exitCodes.problems, 'Correct these files first.');
  }
  const plan = await makePlan(templates, server, { force: true, prune: false });
  for (const { local, before, fields } of plan.changes) {
    const path = shown(local?.path ?? '');
    print(unified(before ? { name: `server/${path}`, fields: before.fields } : undefined, { name: path, fields }));
  }
  for (const { id, fields } of plan.onlyOnServer) print(unified({ name: `server/${id}`, fields }, undefined));
  printProblems(plan.problems);
  const different = plan.changes.length + plan.onlyOnServer.length;
  if (plan.problems.length > 0) process.exitCode = exitCodes.problems;
  else if (different > 0)
    fail(1, `${count(different, 'difference')}, ${count(plan.unchanged.length, 'template')} the same.`);
}

interface Side {
  name: string;
  fields: TemplateFields;
}

function unified(server: Side | undefined, local: Side | undefined): string {
  const before = server ? writeTemplate(server.fields) : '';
  const after = local ? writeTemplate(local.fields) : '';
  const names = [server?.name ?? '/dev/null', local?.name ?? '/dev/null'] as const;
  const patch = createTwoFilesPatch(...names, before, after, undefined, undefined, { timeout: timeout_ms });
  const whole = `--- ${names[0]}\n+++ ${names[1]}\n(too different to compare line by line)`;
  // Omits the line of equals signs.
  return printable(patch?.replace(/^=+\n/, '').trimEnd() ?? whole);
}
