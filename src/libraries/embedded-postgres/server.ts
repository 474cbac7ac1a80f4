import { spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { isAlive, isServerProcess, requestStopByPgCtl, startByPgCtl, stopByPgCtl } from './server-process.ts';
import type { ServerUser } from './user.ts';

/** A database cluster and how to run its server. */
export interface Cluster {
  folder: string;
  data: string;
  address: ServerAddress;
  user: ServerUser | undefined;
  binaries: Binaries;
  settings: Record<string, string>;
  log: Log;
}

export interface Log {
  info(details: object, text: string): void;
  warn(details: object, text: string): void;
}

/**
 * How to reach a server. A unix socket in a folder that only its user can enter needs no password. Node has no unix sockets on Windows:
 * there it is a local port with a password, because every user can connect to it.
 */
export interface ServerAddress {
  /** The folder of the socket, or a host address. */
  host: string;
  port: number;
  password: string | undefined;
}

/** Contents of the postmaster.pid of a running server. */
export interface RunningServer {
  pid: number;
  port: number;
  /** Empty if the server has no socket. */
  socketFolder: string;
  status: string;
}

export const superuser = 'pennypost';

export const passwordFile = (folder: string) => join(folder, 'password');

const isWindows = process.platform === 'win32';

/** Windows needs these variables to find its own libraries. */
const passedOn = isWindows ? /^(SystemRoot|SystemDrive|windir|ComSpec|Path|TEMP|TMP)$/i : /^(LD_|FAKETIME)/;

/**
 * Excludes the caller's PG* variables (PGPORT would rename the socket) and secrets, which the server does not need. Variables for the
 * dynamic linker and for fake time must be the same for both.
 */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name))),
  ...(isWindows ? {} : { PATH: '/usr/bin:/bin' }),
  LC_ALL: 'C',
  TZ: 'UTC',
};

function asServerUser({ folder, user }: Cluster) {
  return { cwd: folder, env: environment, ...(user && { uid: user.uid, gid: user.gid }) };
}

/** Creates the cluster under another name and renames it, so an interrupted initdb leaves no partial cluster. */
export async function createClusterIfMissing(cluster: Cluster): Promise<boolean> {
  if (existsSync(cluster.data)) return false;
  deleteAbandonedDrafts(cluster.folder);
  const draft = `${cluster.data}.new-${process.pid}`;
  await initialise(cluster, draft);
  try {
    renameSync(draft, cluster.data);
  } catch (error) {
    // Another process was first, so its cluster is used.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(cluster.data)) throw error;
    return false;
  }
  // Windows cannot open folders.
  if (!isWindows) syncFolder(cluster.folder);
  return true;
}

function syncFolder(path: string): void {
  const folder = openSync(path, constants.O_RDONLY);
  fsyncSync(folder);
  closeSync(folder);
}

function deleteAbandonedDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^data\.new-(\d+)$/.exec(name) ?? [];
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
    try {
      rmSync(join(folder, name), { recursive: true });
    } catch {
      // The initdb of a killed process may still be writing there. The next start deletes it.
    }
  }
}

/**
 * Small, because all commits wait while PostgreSQL fills a new WAL file with zeros and syncs it: 30 ms for the usual 16 MB, every two
 * seconds while a large file of recipients is stored.
 */
const walSegment_mb = 2;

function initialise(cluster: Cluster, data: string): Promise<void> {
  const { max_connections = '100', shared_buffers = '128MB', fsync = 'on' } = cluster.settings;
  const options = [
    ...['--pgdata', data, '--username', superuser, '--encoding', 'UTF8', '--locale', 'C'],
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--data-checksums'],
    ...['--wal-segsize', String(walSegment_mb)],
    ...['--no-instructions', '--auth-local', cluster.address.password === undefined ? 'trust' : 'reject'],
    ...(cluster.address.password === undefined
      ? ['--auth-host', 'reject']
      : ['--auth-host', 'scram-sha-256', '--pwfile', passwordFile(cluster.folder)]),
    // Without these, initdb would probe the machine's limits.
    ...['--set', `max_connections=${max_connections}`, '--set', `shared_buffers=${shared_buffers}`],
    ...(fsync === 'off' ? ['--no-sync'] : []),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(cluster.binaries.initdb, options, { ...asServerUser(cluster), windowsHide: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => reject(explainSpawnError(error, cluster)));
    child.once('close', (code) => {
      if (code === 0) return resolve();
      rmSync(data, { recursive: true, force: true });
      // The output lists all successful steps before the reason.
      const reason = /(?:FATAL|PANIC|error): +(.*)/.exec(output)?.[1] ?? output.trim();
      reject(new EmbeddedPostgresError(`initdb could not create a database in ${cluster.folder}: ${reason}`));
    });
  });
}

function commandLine(cluster: Cluster): string[] {
  return ['-D', cluster.data, ...settingsOf(cluster).flatMap((setting) => ['-c', setting])];
}

function settingsOf({ address: { host, port, password }, settings }: Cluster): string[] {
  // PostgreSQL parses this as a list, so a folder with a comma in its name must be quoted.
  const socket = { listen_addresses: '', unix_socket_directories: `"${host.replaceAll('"', '""')}"` };
  const ways = password === undefined ? socket : { listen_addresses: host, unix_socket_directories: '' };
  return Object.entries({ ...settings, ...ways, port: String(port) }).map(([name, value]) => `${name}=${value}`);
}

/** Whether the running server has the binaries and settings that we would use now. */
export function hasCurrentSettings(cluster: Cluster): boolean {
  const started = readFileSync(join(cluster.data, 'postmaster.opts'), 'utf8').trim();
  // pg_ctl writes paths differently. The version of the binaries is one of the settings.
  if (usesPgCtl(cluster)) return settingsOf(cluster).every((setting) => started.includes(`"${setting}"`));
  return started === [cluster.binaries.postgres, ...commandLine(cluster).map((argument) => `"${argument}"`)].join(' ');
}

/** Without unix sockets (on Windows), there are no signals either. */
function usesPgCtl({ address }: Cluster): boolean {
  return address.password !== undefined;
}

function pgCtlOf(cluster: Cluster) {
  return { program: cluster.binaries.pgCtl, data: cluster.data, spawnOptions: asServerUser(cluster) };
}

export function findRunningServer(cluster: Pick<Cluster, 'data'>): RunningServer | undefined {
  const [pid, , , port, socketFolder = '', , , status = 'starting'] = readPidFile(cluster).split(/\r?\n/);
  if (!isServerProcess(Number(pid), cluster.data)) return undefined;
  return { pid: Number(pid), port: Number(port), socketFolder, status: status.trim() };
}

function readPidFile({ data }: Pick<Cluster, 'data'>): string {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8');
  } catch {
    return '';
  }
}

/** Resolves when the server accepts connections, which may take a while during crash recovery. */
export async function launch(cluster: Cluster): Promise<void> {
  deleteStaleFiles(cluster);
  const log = openLog(cluster);
  const logStart = fstatSync(log).size;
  if (usesPgCtl(cluster)) {
    const started = startByPgCtl(pgCtlOf(cluster), join(cluster.folder, logName), commandLine(cluster).slice(2));
    const isReady = await started.finally(() => closeSync(log));
    if (!isReady)
      throw new EmbeddedPostgresError(`PostgreSQL did not start in ${cluster.folder}: see ${logName} there`);
    return;
  }
  // Detached, because Ctrl-C in a terminal reaches the whole process group and the application must drain first.
  const child = spawn(cluster.binaries.postgres, commandLine(cluster), {
    ...asServerUser(cluster),
    detached: true,
    stdio: ['ignore', log, log],
  });
  try {
    let failure: Error | undefined;
    let ended = false;
    child.once('error', (error) => {
      failure = explainSpawnError(error, cluster);
    });
    child.once('exit', () => {
      ended = true;
    });
    for (let waited_ms = 0; failure === undefined && !ended; waited_ms += 10) {
      await sleep(10);
      const running = findRunningServer(cluster);
      if (running?.pid === child.pid && running?.status === 'ready') break;
      if (waited_ms % 10_000 === 9_990)
        cluster.log.info({ event: 'postgres.starting' }, 'PostgreSQL is still starting, perhaps after a crash');
    }
    if (failure !== undefined) throw failure;
    if (ended)
      throw new EmbeddedPostgresError(`PostgreSQL did not start in ${cluster.folder}: ${readLog(log, logStart)}`);
    child.unref();
  } finally {
    closeSync(log);
  }
}

/**
 * PostgreSQL removes the files of a crashed server, unless the recorded process id now belongs to another process of the same user, which
 * happens in containers.
 */
function deleteStaleFiles(cluster: Cluster): void {
  const { host, port } = cluster.address;
  const socketLock = join(host, `.s.PGSQL.${port}.lock`);
  for (const file of [join(cluster.data, 'postmaster.pid'), socketLock]) {
    if (!existsSync(file)) continue;
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    if (isAlive(pid) && !isServerProcess(pid, cluster.data)) rmSync(file, { force: true });
  }
}

/** Fast, immediate, then kill. None loses committed data. */
const shutdownSteps = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;

export async function shutDown(cluster: Cluster, pid: number, firstStep = 0): Promise<void> {
  if (usesPgCtl(cluster)) {
    if (await stopsByPgCtl(cluster, pid, firstStep)) return;
    throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) does not stop`);
  }
  for (const [signal, timeout_ms] of shutdownSteps.slice(firstStep)) {
    signalServer(pid, signal);
    const deadline = Date.now() + timeout_ms;
    while (Date.now() < deadline) {
      if (!isServerProcess(pid, cluster.data)) return;
      await sleep(10);
    }
  }
  throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) does not stop`);
}

async function stopsByPgCtl(cluster: Cluster, pid: number, firstStep: number): Promise<boolean> {
  for (const [index, mode] of (['fast', 'immediate'] as const).entries()) {
    if (index < firstStep) continue;
    if (await stopByPgCtl(pgCtlOf(cluster), mode, shutdownSteps[index]?.[1] ?? 0)) return true;
    // It may have ended on its own.
    if (!isServerProcess(pid, cluster.data)) return true;
  }
  return false;
}

/** Used when this process exits: the server then stops on its own. */
export function requestShutDown(cluster: Cluster, pid: number): void {
  if (usesPgCtl(cluster)) requestStopByPgCtl(pgCtlOf(cluster));
  else signalServer(pid, 'SIGINT');
}

function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just exited on its own.
  }
}

/** Whether a server listens on the socket. A server in another container on the same volume has no visible process. */
export async function isSocketAnswered({ address: { host, port, password } }: Cluster): Promise<boolean> {
  if (password !== undefined) return false;
  return new Promise((resolve) => {
    const socket = connect(join(host, `.s.PGSQL.${port}`));
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

const maxLog_bytes = 10_000_000;
const logName = 'server.log';

function openLog({ folder, user }: Cluster): number {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  // The server's user owns the folder, so root must not follow a symlink placed there.
  const log = openSync(join(folder, logName), O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  if (user !== undefined) fchownSync(log, user.uid, user.gid);
  if (fstatSync(log).size > maxLog_bytes) ftruncateSync(log);
  return log;
}

function readLog(log: number, from: number): string {
  const text = Buffer.alloc(4_000);
  return text.toString('utf8', 0, readSync(log, text, 0, text.length, from)).trim();
}

function explainSpawnError(error: NodeJS.ErrnoException, { binaries }: Cluster): Error {
  const reason =
    error.code === 'ENOENT' && existsSync(binaries.postgres)
      ? 'it requires the GNU C library (Alpine uses musl)'
      : error.message;
  return new EmbeddedPostgresError(
    `The embedded PostgreSQL cannot be started: ${reason}. Set DATABASE_URL to use one of your own.`,
  );
}
