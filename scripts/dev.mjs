// `npm run dev`: serves the product on PORT, compiles each file that changes, restarts the server and reloads open pages.
// PostgreSQL keeps running in this process. Types are not checked: `npm run check` does that.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as http from 'node:http';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { makeReady } from './ready.mjs';

await makeReady();

const { addAssets } = await import('./console-assets.mjs');
const { readConfig } = await import('../dist/commands/read-config.js');
const { openOrEmbed } = await import('../dist/commands/with-database.js');
const { createLog } = await import('../dist/platform/log.js');

const port = Number(process.env.PORT || 6011);
const browserSources = join('src', 'console', 'browser');
const changesProject = 'node_modules/.cache/changes.json';
const reloadPath = '/reload-when-changed';

/** A save touches a file several times, and git writes many files at once. */
const settle_ms = 50;

const config = readConfig();
const database = await openOrEmbed(config, createLog('warn')).catch(fail);
let prepared = prepareServer();
let server = await startServer().catch(fail);
/** Requests wait for it. */
let updated = Promise.resolve();
/** The pages in browsers, each with a response that ends when the page must reload. */
const openPages = new Set();

http
  .createServer((request, response) => updated.then(() => answer(request, response)))
  .listen(port, () => {
    process.stdout.write(server.banner.replaceAll(server.address.origin, `http://localhost:${port}`));
    say('The server follows the files in src. Press Ctrl-C to stop.');
  });
watch((paths) => {
  updated = updated.then(() => update(paths));
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);

async function stop() {
  prepared.kill();
  server.child.kill();
  await once(server.child, 'exit');
  await database.stop();
  process.exit();
}

/** Watches each folder: on Linux, a recursive watcher of Node 20 loses files that an editor replaces. */
function watch(onChange) {
  const changed = new Set();
  let timer;
  const watchFolder = (folder) => {
    fs.watch(folder, (_, name) => {
      const path = join(folder, name ?? '');
      if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return name && watchFolder(path);
      if (/\.test\.tsx?$/.test(path) || !/\.(tsx?|css|svg)$/.test(path)) return;
      changed.add(path);
      clearTimeout(timer);
      timer = setTimeout(() => {
        onChange([...changed]);
        changed.clear();
      }, settle_ms);
    }).once('error', () => undefined);
  };
  const entries = fs.readdirSync('src', { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.path, entry.name));
  for (const folder of ['src', ...folders]) watchFolder(folder);
}

async function update(paths) {
  const started = performance.now();
  // What is in dist is no longer the result of one build: the next `npm start` compiles everything.
  fs.rmSync('dist/build.json', { force: true });
  try {
    const [browser, others] = [paths.filter(isForBrowser), paths.filter((path) => !isForBrowser(path))];
    compile(browser, 'tsconfig.browser.json', browserSources, 'dist/console/assets');
    compile(others, 'tsconfig.build.json', 'src', 'dist');
    if (paths.some(isAsset)) addAssets('dist/console');
    const next = await startServer();
    server.child.kill();
    server = next;
  } catch (error) {
    return say(`${error.message}\nThe previous version keeps running.`);
  }
  for (const page of openPages) page.end();
  say(`${paths.join(', ')}: served after ${Math.round(performance.now() - started)} ms`);
}

function isForBrowser(path) {
  return path.startsWith(browserSources + sep);
}

function isAsset(path) {
  return /\.(css|svg)$/.test(path) || isForBrowser(path);
}

/** Compiles the changed files without reading what they import, which takes a tenth of the time of a build. */
function compile(paths, project, source, target) {
  const files = paths.filter((path) => /\.tsx?$/.test(path));
  const deleted = files.filter((path) => !fs.existsSync(path));
  for (const path of deleted) {
    fs.rmSync(join(target, relative(source, path)).replace(/\.tsx?$/, '.js'), { force: true });
  }
  const changed = files.filter((path) => !deleted.includes(path));
  if (changed.length === 0) return;
  const compilerOptions = {
    noResolve: true,
    noCheck: true,
    types: [],
    rootDir: resolve(source),
    outDir: resolve(target),
  };
  const options = {
    extends: resolve(project),
    compilerOptions,
    files: changed.map((path) => resolve(path)),
    include: [],
    exclude: [],
  };
  fs.mkdirSync(dirname(changesProject), { recursive: true });
  fs.writeFileSync(changesProject, JSON.stringify(options));
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', changesProject], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stdout.trim());
}

/** A process that serves as soon as it is told to. */
function prepareServer() {
  return spawn(process.execPath, ['--enable-source-maps', 'scripts/dev-server.mjs'], {
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      PORT: '0',
      BASE_URL: config.urls.api,
      DEMO: String(config.demo.enabled),
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

/** The server listens on a free port and replaces the previous one when it is ready. */
async function startServer() {
  const child = prepared;
  prepared = prepareServer();
  child.send('serve');
  let banner = '';
  const address = await new Promise((found, failed) => {
    child.once('exit', () => failed(new Error('The server did not start.')));
    child.stdout.setEncoding('utf8').on('data', function read(text) {
      banner += text;
      const [, address] = /listening on (\S+)(?=.*\n\n$)/s.exec(banner) ?? [];
      if (address === undefined) return;
      child.stdout.off('data', read).pipe(process.stdout);
      found(new URL(address));
    });
  });
  return { child, banner, address };
}

/** Passes the request to the server. Pages get a script that reloads them. */
function answer(request, response) {
  if (request.url === `${reloadPath}.js`) return sendScript(response);
  if (request.url === reloadPath) return waitForChange(response);
  const { hostname, port } = server.address;
  // Neither the parts of a page that its scripts request nor the emails in its frames.
  const isDocument = request.headers['sec-fetch-dest'] === 'document';
  // Only an uncompressed page can be extended.
  const headers = { ...request.headers, 'accept-encoding': 'identity' };
  const passed = http.request({ hostname, port, path: request.url, method: request.method, headers }, (received) => {
    const isPage = isDocument && String(received.headers['content-type']).startsWith('text/html');
    const { 'content-length': length, ...others } = received.headers;
    response.writeHead(received.statusCode, isPage || length === undefined ? others : received.headers);
    received.pipe(response, { end: !isPage });
    if (isPage) received.once('end', () => response.end(`<script src="${reloadPath}.js"></script>`));
  });
  passed.once('error', () => response.destroy());
  request.pipe(passed);
}

function sendScript(response) {
  response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-store' });
  response.end(`fetch('${reloadPath}').then((response) => response.text()).then(() => location.reload());`);
}

function waitForChange(response) {
  openPages.add(response);
  response.once('close', () => openPages.delete(response));
  response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).flushHeaders();
}

function say(text) {
  process.stderr.write(`pennypost: ${text}\n`);
}

function fail(error) {
  say(error.message);
  process.exit(1);
}
