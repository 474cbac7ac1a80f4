import type { Log } from '../log.ts';

const checkEvery_ms = 200;

/** Read at load time, because the parent may end while this process starts. */
const parent = process.ppid;

/** Calls `stop` when the parent process ends. npm starts programs through a shell, which ends at SIGTERM without passing it on. */
export function stopWithParent(stop: () => void): void {
  const check = setInterval(() => {
    // Windows does not change the parent id when the parent ends.
    if (process.ppid === parent && isAlive(parent)) return;
    clearInterval(check);
    stop();
  }, checkEvery_ms);
  check.unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * The first signal drains the process; a second one, or 30 s, ends it at once. Accepted messages are never lost. Returns the signal
 * handler, for other reasons to stop.
 */
export function onceStopped(log: Log, stop: () => Promise<void>): (reason?: string) => void {
  let stopping = false;
  const end = (reason = 'requested') => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ event: 'process.stopping', reason }, 'Stopping: finishing requests and tasks in flight');
    setTimeout(() => process.exit(1), 30_000).unref();
    stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ event: 'process.stop_failed', err: error }, 'Stopping failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(signal));
  return end;
}
