import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Prints at the end of a run what its phases and its slowest files took, and why tests were skipped. */
export class RunReport implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < 2) return;
    const files = modules.map((module) => ({ path: module.relativeModuleId, ...phasesOf(module) }));
    const sum = (phase: 'setUp' | 'imports' | 'tests') =>
      seconds(files.reduce((total, file) => total + file[phase], 0));
    const transform = seconds(this.vitest?.state.transformTime ?? 0);
    const lines = [
      `Sums of all files: transform ${transform}, set up ${sum('setUp')}, imports ${sum('imports')}, tests ${sum('tests')}`,
      'The slowest files:',
      ...files
        .sort((one, other) => totalOf(other) - totalOf(one))
        .slice(0, 20)
        .map((file) => `${seconds(totalOf(file)).padStart(9)}  ${file.path}`),
      ...skippedTests(modules),
    ];
    process.stdout.write(`\n${lines.join('\n')}\n\n`);
  }
}

interface Phases {
  setUp: number;
  imports: number;
  tests: number;
}

function phasesOf(module: TestModule): Phases {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return {
    setUp: environmentSetupDuration + prepareDuration + setupDuration,
    imports: collectDuration,
    tests: duration,
  };
}

const totalOf = ({ setUp, imports, tests }: Phases) => setUp + imports + tests;

const seconds = (duration_ms: number) => `${(duration_ms / 1_000).toFixed(1)} s`;

/** One line for each reason. */
function skippedTests(modules: readonly TestModule[]): string[] {
  const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
  const counts = new Map<string, number>();
  for (const reason of skipped.map(reasonOf)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} skipped: ${reason}`);
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  return (result.state === 'skipped' && result.note) || `no reason given, in ${test.module.relativeModuleId}`;
}
