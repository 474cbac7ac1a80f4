// Puts the tested versions of all dependencies into the npm package, whose users would otherwise get newer ones. npm reads
// npm-shrinkwrap.json of an installed package, but never its package-lock.json. `--remove` deletes the file after packing.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv.includes('--remove')) {
  rmSync(pathOf('npm-shrinkwrap.json'), { force: true });
} else {
  const lock = JSON.parse(readFileSync(pathOf('package-lock.json'), 'utf8'));
  const runtime = Object.entries(lock.packages).filter(([, { dev }]) => !dev);
  const { devDependencies, ...root } = lock.packages[''];
  const packages = { ...Object.fromEntries(runtime), '': root };
  writeFileSync(pathOf('npm-shrinkwrap.json'), `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
}
