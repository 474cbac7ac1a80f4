import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take longest, or mostly wait for other processes: one that began last would go on alone. */
const slowest = [
  'test/upgrade/rolling-upgrade.full.test.ts',
  'src/console/every-text.full.test.ts',
  'src/operations/audit/every-action.full.test.ts',
  'test/journeys/rolling-restart.full.test.ts',
  'test/largest-content.full.test.ts',
  'test/fuzz.full.test.ts',
  'src/rendering/pdf/pdf-worker.full.test.ts',
  'test/ready.full.test.ts',
  'test/journeys/dead-worker.full.test.ts',
];

for (const path of slowest) if (!existsSync(path)) throw new Error(`test/kit/slowest-first.ts names ${path}`);

/** Vitest knows how long files took once it has run them; in a new clone it would begin with the largest. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = slowest.indexOf(relative(process.cwd(), moduleId).replaceAll('\\', '/'));
      return at < 0 ? slowest.length : at;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
