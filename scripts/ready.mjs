// Makes a clone ready to run: installs when dependencies are missing or stale, compiles when dist is, else does nothing.
// `npm start` and `npm test` call it first; it needs only Node and npm. Starting needs neither linter nor test runner: those are
// installed when tests are run (`--tools`).
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findNpm } from './find-npm.mjs';

/** The development dependencies that compiling needs. */
const buildTools = ['typescript', '@fontsource/newsreader', '@zxcvbn-ts/language-common'];

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeReady({ tools: process.argv.includes('--tools') });

export async function makeReady({ tools = false } = {}) {
  refuseOldNode();
  process.chdir(resolve(import.meta.dirname, '..'));
  if (!isInstallStale(tools) && !isBuildStale()) return;
  const unlock = await lock('.ready-lock');
  process.once('exit', unlock);
  // Checked again: the previous holder of the lock may have done the work.
  if (isInstallStale(tools)) install(tools);
  if (isBuildStale()) await build();
  // This process may go on as the server.
  process.off('exit', unlock);
  unlock();
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(`Pennypost needs Node 20.19 or newer; this is ${process.versions.node}.`);
}

function isInstallStale(tools) {
  const installed = readJson('node_modules/.package-lock.json')?.packages;
  if (installed === undefined) return true;
  return Object.entries(neededPackages(tools)).some(([path, wanted]) => {
    // npm leaves out the optional packages that are for other platforms.
    return installed[path] === undefined ? !wanted.optional : installed[path].version !== wanted.version;
  });
}

/** The packages of the lock file: all of them, or those that serving and compiling need. */
function neededPackages(tools) {
  const { '': root, ...packages } = readJson('package-lock.json').packages;
  if (tools) return packages;
  const needed = Object.entries(packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  const found = new Map(needed);
  const add = (name) => {
    const path = `node_modules/${name}`;
    if (found.has(path) || !packages[path]) return;
    found.set(path, packages[path]);
    const { dependencies, optionalDependencies } = packages[path];
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) add(other);
  };
  buildTools.forEach(add);
  return Object.fromEntries(found);
}

function install(tools) {
  const [command, ...words] = findNpm();
  const options = ['--no-audit', '--no-fund', '--loglevel=error', ...cacheElsewhere()];
  if (tools) {
    // A server may be running from this folder: its packages stay where they are.
    const adds = !isInstallStale(false);
    say(adds ? 'installing the tools for tests' : 'installing dependencies and the tools for tests');
    const call = adds ? ['install', '--no-save'] : ['ci'];
    // NODE_ENV=production would leave out the development dependencies.
    run(command, [...words, ...call, '--include=dev', '--include=optional', ...options], 'ignore');
    return;
  }
  say('installing dependencies');
  const folder = '.ready-install';
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  writeManifest(folder);
  run(command, [...words, 'ci', '--include=dev', '--include=optional', ...options], 'ignore', folder);
  fs.rmSync('node_modules', { recursive: true, force: true });
  fs.renameSync(join(folder, 'node_modules'), 'node_modules');
  fs.rmSync(folder, { recursive: true, force: true });
}

/** The package and the lock file without the development dependencies that only tests and checks need. */
function writeManifest(folder) {
  const manifest = readJson('package.json');
  const lock = readJson('package-lock.json');
  const devDependencies = Object.fromEntries(buildTools.map((name) => [name, manifest.devDependencies[name]]));
  const root = { ...lock.packages[''], devDependencies };
  const packages = { '': root, ...neededPackages(false) };
  // No script of ours runs in that folder.
  fs.writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, devDependencies, scripts: {} }));
  fs.writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  fs.copyFileSync('.npmrc', join(folder, '.npmrc'));
}

/** Some accounts have no writable home folder. */
function cacheElsewhere() {
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm');
  try {
    fs.mkdirSync(cache, { recursive: true });
    fs.accessSync(cache, fs.constants.W_OK);
    return [];
  } catch {
    const temporary = fs.mkdtempSync(join(tmpdir(), 'pennypost-npm-'));
    process.once('exit', () => fs.rmSync(temporary, { recursive: true, force: true }));
    return ['--cache', temporary];
  }
}

function isBuildStale() {
  return readJson('dist/build.json')?.inputs !== hashInputs();
}

/** All inputs of the compiled files, and the commit that they will report. */
function hashInputs() {
  const sources = fs.readdirSync('src', { recursive: true }).map((name) => join('src', name));
  const inputs = sources.filter((path) => /\.(tsx?|css|svg)$/.test(path) && !/\.test\.tsx?$/.test(path)).sort();
  const hash = createHash('sha256').update(gitCommit());
  const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];
  const ofConsole = ['tsconfig.browser.json', 'scripts/console-assets.mjs'].filter((path) => fs.existsSync(path));
  for (const path of [...inputs, ...settings, ...ofConsole]) {
    const { size, mtimeMs } = fs.statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Compiles into another folder and renames it, so that dist is never half a build. */
async function build() {
  say('compiling');
  const inputs = hashInputs();
  fs.rmSync('dist.new', { recursive: true, force: true });
  compile('tsconfig.build.json', 'dist.new');
  if (fs.existsSync('src/console')) {
    compile('tsconfig.browser.json', 'dist.new/console/assets');
    const { addAssets } = await import('./console-assets.mjs');
    addAssets('dist.new/console');
  }
  const about = { git_commit: gitCommit(), build_time: new Date().toISOString(), inputs };
  fs.writeFileSync('dist.new/build.json', JSON.stringify(about, null, 2));
  if (fs.existsSync('dist.new/main.js')) fs.chmodSync('dist.new/main.js', 0o755);
  // To delete the old files takes longer than to rename their folder, and others may be reading them.
  fs.rmSync('dist.old', { recursive: true, force: true });
  if (fs.existsSync('dist')) fs.renameSync('dist', 'dist.old');
  fs.renameSync('dist.new', 'dist');
  fs.rmSync('dist.old', { recursive: true, force: true });
}

function compile(project, folder) {
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project, '--outDir', folder]);
}

function gitCommit() {
  try {
    if (!fs.existsSync('.git')) return 'unknown';
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

/** The folder holds one file, named after the process that has the lock. */
async function lock(folder) {
  const draft = `${folder}.${process.pid}`;
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft);
  fs.writeFileSync(join(draft, String(process.pid)), '');
  for (let waited = false; ; waited = true) {
    try {
      // Succeeds only when the folder does not exist or is empty, and so for one process only.
      fs.renameSync(draft, folder);
      return () => fs.rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
    for (const holder of readFolder(folder)) {
      if (!isAlive(Number(holder))) fs.rmSync(join(folder, holder), { force: true });
      else if (!waited) say(`waiting for process ${holder} to make ready (if there is none: delete ${folder})`);
    }
    deleteIfEmpty(folder);
    await sleep(100);
  }
}

function isTaken({ code }) {
  return ['EEXIST', 'ENOTEMPTY'].includes(code) || (code === 'EPERM' && process.platform === 'win32');
}

/** Windows renames over no folder, not even an empty one. */
function deleteIfEmpty(folder) {
  try {
    fs.rmdirSync(folder);
  } catch {
    // Its holder works, or another process was first.
  }
}

function readFolder(folder) {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function isAlive(pid) {
  try {
    // Our own id in a stale lock belongs to an earlier process, as in containers.
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function readJson(path) {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Redirects the command's output to stderr: stdout is for the program that runs next. */
function run(command, options, stdout = 2, cwd = '.') {
  const { status, error } = spawnSync(command, options, { cwd, stdio: ['ignore', stdout, 2] });
  if (status !== 0) fail(`${command} ${options.join(' ')} failed${error ? `: ${error.message}` : ''}`);
}

function say(text) {
  process.stderr.write(`pennypost: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
