import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/**
 * Whether the process is a PostgreSQL of this data folder, and not a later process with the same id or a zombie. Checks the command line,
 * the only property that other users can read; on Windows, only the name of the program.
 */
export function isServerProcess(pid: number, data: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return false;
  if (process.platform === 'win32') {
    const words = ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'];
    return spawnSync('tasklist', words, { encoding: 'utf8', windowsHide: true }).stdout.includes('"postgres.exe"');
  }
  if (!existsSync('/proc/self/cmdline')) {
    const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout.includes('postgres') && stdout.includes(` -D ${data} `);
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0-D\0${data}\0`);
  } catch {
    return false;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The program, the cluster's folder, and the user, working folder and environment to run it with. */
interface PgCtl {
  program: string;
  data: string;
  spawnOptions: object;
}

const startTimeout_s = 600;

/**
 * Starts the server on systems without signals. On Windows, PostgreSQL refuses to run with administrator rights; pg_ctl drops them first.
 * Resolves to true when the server accepts connections, otherwise to false.
 */
export async function startByPgCtl(pgCtl: PgCtl, log: string, options: string[]): Promise<boolean> {
  const words = options.map((option) => `"${option}"`).join(' ');
  return (await run(pgCtl, ['start', '-w', '-t', String(startTimeout_s), '-l', log, '-o', words])) === 0;
}

/** Returns whether the server stopped in time. */
export async function stopByPgCtl(pgCtl: PgCtl, mode: 'fast' | 'immediate', timeout_ms: number): Promise<boolean> {
  return (await run(pgCtl, ['stop', '-w', '-t', String(timeout_ms / 1_000), '-m', mode])) === 0;
}

/** Used when this process exits: does not wait for the server. */
export function requestStopByPgCtl({ program, data, spawnOptions }: PgCtl): void {
  spawnSync(program, ['stop', '-W', '-D', data, '-m', 'fast'], { ...spawnOptions, stdio: 'ignore', windowsHide: true });
}

/** Hidden, so that the server gets no console and none of our Ctrl-C events. */
function run({ program, data, spawnOptions }: PgCtl, words: string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words, '-D', data], { ...spawnOptions, stdio: 'ignore', windowsHide: true });
    child.once('error', (error) =>
      reject(new EmbeddedPostgresError(`The embedded PostgreSQL cannot be controlled: ${error.message}`)),
    );
    child.once('exit', resolve);
  });
}
