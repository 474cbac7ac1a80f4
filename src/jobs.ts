import type { App } from './app.ts';
import type { Job } from './platform/queue/worker.ts';

/** Every background job. A job is only a wake-up: the database row it names is the truth. */
export function jobs(_app: App): Job[] {
  return [];
}
