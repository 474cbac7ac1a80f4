// Packs the product, installs the package from a registry in an empty folder, compares the installed dependencies with the tested
// ones and starts it there without a command, as `npx pennypost` does.
// Needs the npm registry. CI runs it on every system.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findNpm } from './find-npm.mjs';
import { makeReady } from './ready.mjs';

await makeReady();

const clone = resolve(fileURLToPath(import.meta.url), '../..');
const folder = mkdtempSync(join(tmpdir(), 'pennypost-package-'));
// As root, the database runs as another user, who must get there.
chmodSync(folder, 0o711);
const port = 16_011;
const npm = findNpm();

const registry = await serveRegistry(join(folder, await pack()));
await runNpm(['install', '--no-audit', '--loglevel=error', '--registry', registry.url, 'pennypost'], folder);
registry.close();
compareVersions();

const program = join(folder, 'node_modules', 'pennypost', 'dist', 'main.js');
const server = spawn(process.execPath, [program], {
  cwd: folder,
  env: { ...process.env, PORT: String(port) },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let printed = '';
server.stdout.setEncoding('utf8').on('data', (text) => {
  printed += text;
});
try {
  const address = `http://127.0.0.1:${port}`;
  for (let waited = 0; !(await isServed(`${address}/readyz`)); waited += 1) {
    if (waited > 300 || server.exitCode !== null) throw new Error(`It does not start:\n${printed}`);
    await sleep(200);
  }
  for (const path of ['/console/start', '/docs/', '/openapi.json', '/status']) {
    if (!(await isServed(address + path))) throw new Error(`${path} is not served`);
  }
  if (!printed.includes(`${address}/console`))
    throw new Error(`The address of the console is not printed:\n${printed}`);
  if (!existsSync(join(folder, 'data', 'postgres'))) throw new Error('There is no database in ./data');
  process.stdout.write('pennypost: the package starts in an empty folder\n');
} finally {
  server.kill('SIGINT');
  for (let waited = 0; server.exitCode === null && server.signalCode === null && waited < 100; waited += 1)
    await sleep(100);
  // On Windows the database server outlives a process that was ended, and keeps its files open.
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** `npm pack` without its scripts, which print beside the JSON. Returns the name of the file. */
async function pack() {
  const shrinkwrap = (...words) => spawnSync(process.execPath, [join(clone, 'scripts', 'shrinkwrap.mjs'), ...words]);
  shrinkwrap();
  try {
    const [{ filename }] = JSON.parse(
      await runNpm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], clone),
    );
    return filename;
  } finally {
    shrinkwrap('--remove');
  }
}

/**
 * A registry that has the package and sends npm to the real one for all others. npm reads npm-shrinkwrap.json only where the registry
 * says that there is one, never from a file that it installs directly.
 */
async function serveRegistry(file) {
  const real = (await runNpm(['config', 'get', 'registry'], clone)).trim();
  const { name, version, dependencies, optionalDependencies, bin } = JSON.parse(
    readFileSync(join(clone, 'package.json'), 'utf8'),
  );
  const server = createServer((request, response) => {
    if (request.url === '/package.tgz') return response.end(readFileSync(file));
    if (request.url !== `/${name}`)
      return response.writeHead(302, { location: new URL(`.${request.url}`, real) }).end();
    const dist = { tarball: `${url}/package.tgz` };
    const manifest = { name, version, dependencies, optionalDependencies, bin, _hasShrinkwrap: true, dist };
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: manifest } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, close: () => server.close() };
}

/** npm may put a package elsewhere in the tree, but must not choose another version. */
function compareVersions() {
  const packagesOf = (file) => Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages);
  const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const tested = new Set(
    packagesOf(join(clone, 'package-lock.json')).map(([path, { version }]) => `${nameOf(path)}@${version}`),
  );
  const other = packagesOf(join(folder, 'node_modules', '.package-lock.json'))
    .map(([path, { version }]) => `${nameOf(path)}@${version}`)
    .filter((installed) => !installed.startsWith('pennypost@') && !tested.has(installed));
  if (other.length > 0) throw new Error(`Installed versions that were not tested: ${other.join(', ')}`);
}

async function isServed(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

async function runNpm(words, cwd) {
  const [command, ...first] = npm;
  const { stdout, stderr } = await promisify(execFile)(command, [...first, ...words], { cwd, encoding: 'utf8' });
  process.stderr.write(stderr);
  return stdout;
}
