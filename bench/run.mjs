// Node 20 cannot run TypeScript, so the benchmarks are compiled first, with the parts of the product they measure.
import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.bench.json'], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
// The product looks for these beside its own folder.
for (const name of ['languages', 'migrations', 'package.json']) {
  if (!existsSync(`dist-bench/${name}`)) symlinkSync(`../${name}`, `dist-bench/${name}`);
}
await import('../dist-bench/bench/run.js');
