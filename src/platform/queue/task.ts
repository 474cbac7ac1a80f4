/** A kind of background work. To enqueue it, this is all that one needs; `src/tasks.ts` says what runs it. */
export interface Task<Payload = unknown> {
  name: string;
  description: string;
  /** A failed run is retried with growing delays, until it was tried this often. */
  maxAttempts: number;
  /** Never set: it ties the payload's type to the task. */
  readonly payload?: Payload;
}

/** When a task starts. `cron` is in UTC; a task about London days checks the hour itself. */
export interface Schedule {
  cron: string;
  reason: string;
}

/** A task with its handler. `run` is a method, because only methods let one list hold tasks of different payloads. */
export interface RunnableTask<Payload = unknown> extends Task<Payload> {
  schedule?: Schedule;
  run(payload: Payload): Promise<void>;
}
