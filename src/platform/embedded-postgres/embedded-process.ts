import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isAlive } from '../process/is-alive.ts';

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
