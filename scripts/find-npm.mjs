import { dirname, join } from 'node:path';

/** On Windows npm is a script for the shell, so Node runs the program behind it. */
export function findNpm() {
  const started = process.env.npm_execpath;
  if (started?.endsWith('npm-cli.js')) return [process.execPath, started];
  if (process.platform !== 'win32') return ['npm'];
  return [process.execPath, join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js')];
}
