/** A kind of background work. To enqueue it, this is all that one needs; `src/tasks.ts` says what runs it. */
export interface Task<Payload = unknown> {
  name: string;
  description: string;
  /** A failed run is retried with growing delays, until it was tried this often. */
  maxAttempts: number;
  /** Never set: it ties the payload's type to the task. */
  readonly payload?: Payload;
}
