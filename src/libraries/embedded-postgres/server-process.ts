import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/**
 * Whether the process is a PostgreSQL of this data folder, and not a later process with the same id or a zombie. Checks
 * the command line, the only property that other users can read; on Windows only the name of the program.
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

/** The program, the folder of the cluster, and the user, folder and environment to run in. */
interface PgCtl {
  program: string;
  data: string;
  spawnOptions: object;
}

const startTimeout_s = 600;

/**
 * Starts and stops the server where there are no signals. On Windows PostgreSQL refuses to run with the rights of an
 * administrator; pg_ctl gives them up first. Resolves when the server accepts connections, or with false.
 */
export async function startByPgCtl(pgCtl: PgCtl, log: string, options: string[]): Promise<boolean> {
  const words = options.map((option) => `"${option}"`).join(' ');
  return (await run(pgCtl, ['start', '-w', '-t', String(startTimeout_s), '-l', log, '-o', words])) === 0;
}

/** Whether the server has stopped in time. */
export async function stopByPgCtl(pgCtl: PgCtl, mode: 'fast' | 'immediate', timeout_ms: number): Promise<boolean> {
  return (await run(pgCtl, ['stop', '-w', '-t', String(timeout_ms / 1_000), '-m', mode])) === 0;
}

/** For the end of this process: does not wait for the server. */
export function requestStopByPgCtl({ program, data, spawnOptions }: PgCtl): void {
  spawnSync(program, ['stop', '-W', '-D', data, '-m', 'fast'], { ...spawnOptions, stdio: 'ignore', windowsHide: true });
}

/** Hidden: the server gets no console, and so no Ctrl-C of ours. */
function run({ program, data, spawnOptions }: PgCtl, words: string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words, '-D', data], { ...spawnOptions, stdio: 'ignore', windowsHide: true });
    child.once('error', (error) =>
      reject(new EmbeddedPostgresError(`The embedded PostgreSQL cannot be controlled: ${error.message}`)),
    );
    child.once('exit', resolve);
  });
}
