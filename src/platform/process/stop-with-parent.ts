import { isAlive } from './is-alive.ts';

const checkEvery_ms = 200;

/**
 * Calls `stop` when the process that started this one ends. npm starts programs through a shell, which ends at SIGTERM
 * without passing it on.
 */
export function stopWithParent(stop: () => void): void {
  const { ppid } = process;
  const check = setInterval(() => {
    // Windows keeps the id of a dead parent.
    if (process.ppid === ppid && isAlive(ppid)) return;
    clearInterval(check);
    stop();
  }, checkEvery_ms);
  check.unref();
}
