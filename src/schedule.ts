import type { TimedTask } from './platform/queue/worker.ts';

/** Every timed task. Each may start in any process and twice: its job checks what is really due. */
export const schedule: TimedTask[] = [];
