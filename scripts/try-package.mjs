// Packs the product, installs the package in an empty folder and starts it there without a command, as `npx pennypost` does.
// Needs the npm registry. CI runs it on every system.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findNpm } from './find-npm.mjs';
import './ready.mjs';

const clone = resolve(fileURLToPath(import.meta.url), '../..');
const folder = mkdtempSync(join(tmpdir(), 'pennypost-package-'));
// As root, the database runs as another user, who must get there.
chmodSync(folder, 0o711);
const port = 16_011;
const npm = findNpm();

const packed = runNpm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], clone);
const [{ filename }] = JSON.parse(packed);
runNpm(['install', '--no-save', '--no-audit', '--loglevel=error', join(folder, filename)], folder);

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

async function isServed(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function runNpm(words, cwd) {
  const [command, ...first] = npm;
  const { status, stdout, error } = spawnSync(command, [...first, ...words], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`npm ${words[0]} failed${error ? `: ${error.message}` : ''}`);
  return stdout;
}
