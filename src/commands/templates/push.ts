import type { Country } from '../../countries/country.ts';
import { print } from '../../platform/command-line.ts';
import { OperatorError } from '../../platform/failure.ts';
import { readFolder, recordVersion } from './folder.ts';
import { makePlan, type Plan, type PlannedChange } from './plan.ts';
import { count, described, exitCodes, fail, printProblems } from './report.ts';
import { ChangedMeanwhile, type TemplateServer } from './template.ts';

interface PushOptions {
  dryRun: boolean;
  /** Overwrite changes that were made on the server. */
  force: boolean;
  /** Archive templates that have no file. */
  prune: boolean;
  /** Create templates whose id the service does not have. */
  createUnknown: boolean;
  /** Let these keep the ids in their files. */
  keepIds: boolean;
}

/** Checks everything first, and pushes nothing if there is a problem. */
export async function push(
  country: Country,
  root: string,
  server: TemplateServer,
  { dryRun, ...options }: PushOptions,
): Promise<void> {
  const { templates, problems } = await readFolder(country, root);
  if (problems.length > 0) return refuse(exitCodes.problems, problems);
  if (templates.length === 0 && options.prune) {
    return fail(exitCodes.problems, 'Nothing was pushed: the folder has no templates, so --prune would archive all.');
  }
  const plan = await makePlan(templates, server, options);
  if (plan.problems.length > 0) return refuse(exitCodes.problems, plan.problems);
  if (plan.conflicts.length > 0) {
    return refuse(exitCodes.conflicts, plan.conflicts, 'Pull and merge, or use --force to overwrite.');
  }
  const refusals = await server.check(plan.changes);
  if (refusals.size > 0) return refuse(exitCodes.problems, problemsOf(plan.changes, refusals));
  if (dryRun) return announce(plan);
  await apply(root, server, plan);
}

function refuse(code: number, problems: Plan['problems'], advice = ''): void {
  printProblems(problems);
  fail(code, ['Nothing was pushed.', advice].join(' ').trim());
}

function problemsOf(changes: PlannedChange[], refusals: Map<unknown, string>): Plan['problems'] {
  return changes.flatMap((change) => {
    const message = refusals.get(change);
    const path = change.local?.path ?? described(undefined, change.before);
    return message === undefined ? [] : [{ path, line: 1, message }];
  });
}

function announce({ changes, unchanged }: Plan): void {
  for (const { action, local, before, names } of changes) {
    print(`Would ${action} ${described(local, before)}${action === 'change' ? `: ${names.join(', ')}` : ''}`);
  }
  print(`${count(changes.length, 'template')} would change, ${unchanged.length} would not.`);
}

const done = { create: 'Created', change: 'Changed', archive: 'Archived', restore: 'Restored' };

async function apply(root: string, server: TemplateServer, { changes, unchanged }: Plan): Promise<void> {
  for (const { local, stored } of unchanged) {
    if (local.id !== stored.id || local.version !== stored.version) await recordVersion(root, local.path, stored);
  }
  for (const [index, change] of changes.entries()) {
    try {
      await applyOne(root, server, change);
    } catch (error) {
      if (!(error instanceof OperatorError || error instanceof ChangedMeanwhile)) throw error;
      const code = error instanceof ChangedMeanwhile ? exitCodes.conflicts : exitCodes.failed;
      const stopped = `Stopped at ${described(change.local, change.before)}: ${error.message}`;
      return fail(
        code,
        `${stopped}\n${index} of ${count(changes.length, 'change')} pushed. Run it again to push the rest.`,
      );
    }
    print(`${done[change.action]} ${described(change.local, change.before)}`);
  }
  print(`${count(changes.length, 'template')} pushed, ${unchanged.length} unchanged.`);
}

/** Writes each version to its file immediately, so that an interrupted push can be continued. */
async function applyOne(root: string, server: TemplateServer, change: PlannedChange): Promise<void> {
  const { local, before, fields } = change;
  const record = async (stored: { id: string; version: number }) => {
    if (local) await recordVersion(root, local.path, stored);
  };
  if (before) await server.change(before, change, record);
  else {
    const stored = await server.create(fields, change.id);
    await record(stored);
    if (change.id !== undefined && stored.id !== change.id) {
      throw new OperatorError(`The server gave it another id, ${stored.id}: it cannot keep ids.`);
    }
  }
}
