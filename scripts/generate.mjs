// Writes the generated files: row types, schema.sql, configuration.md, .env.example, openapi.json, sql/.
// Node 20 cannot run TypeScript, so the generator is compiled first. Types are not checked: row types may be stale.
import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';

process.chdir(resolve(import.meta.dirname, '..'));
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.generate.json'], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
// The product looks for these beside its own folder.
for (const name of ['migrations', 'package.json']) {
  if (!existsSync(`dist-generate/${name}`)) symlinkSync(`../${name}`, `dist-generate/${name}`);
}
await import('../dist-generate/test/kit/generate/generate.js');
