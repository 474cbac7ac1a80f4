import { setTimeout as sleep } from 'node:timers/promises';
import { findThreadTimes, readThreadTime } from '../../../src/platform/threads/thread-time.ts';

/** Quadratic work on megabytes of input takes minutes; linear work stays far below this on any machine. */
export const quadratic_ms = 20_000;

/** Processor time of some work: unlike its duration, it hardly depends on other load on the machine. */
export function processorTime_ms(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return processorTimeSince_ms(before);
}

export function processorTimeSince_ms(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const mainThread = findThreadTimes();

/**
 * The most processor time of this thread that one turn of the event loop takes until some work has ended. It is 0 elsewhere than on Linux,
 * where there is none by thread.
 */
export async function longestTurn_ms(work: () => Promise<unknown>): Promise<number> {
  const time_ms = () => readThreadTime(mainThread) ?? 0;
  let ended = false;
  let longest_ms = 0;
  let before_ms = time_ms();
  const measured = work().finally(() => {
    ended = true;
  });
  while (!ended) {
    await sleep(1);
    const now_ms = time_ms();
    longest_ms = Math.max(longest_ms, now_ms - before_ms);
    before_ms = now_ms;
  }
  await measured;
  return longest_ms;
}
