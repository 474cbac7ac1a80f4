import type { TimedTask } from './platform/queue/worker.ts';

/** Every timed task. Each may start in any process and twice: its job checks what is really due. */
export const schedule: TimedTask[] = [
  {
    cron: '1 2 1 4 *',
    job: 'open-financial-year',
    sentence: 'The financial year begins on 1 April in London, where it is already an hour later by then.',
  },
];
