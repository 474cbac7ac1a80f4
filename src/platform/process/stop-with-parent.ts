const checkEvery_ms = 200;

/** Read when the program loads: the parent may end while it starts. */
const parent = process.ppid;

/**
 * Calls `stop` when the process that started this one ends. npm starts programs through a shell, which ends at SIGTERM
 * without passing it on.
 */
export function stopWithParent(stop: () => void): void {
  const check = setInterval(() => {
    // Windows keeps the id of a dead parent.
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
