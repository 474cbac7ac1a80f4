import type { Log } from '../log.ts';

/**
 * The first signal drains; a second one, or 30 s, ends the process at once. Accepted work is never lost. Returns the
 * signal handler, for other reasons to stop.
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
