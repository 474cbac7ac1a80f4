import type { IncomingMessage } from 'node:http';
import { UnreadBody } from './body-memory.ts';

export function arrivedTooSlowly(timeout_ms: number): UnreadBody {
  const seconds = Math.round(timeout_ms / 1_000);
  return new UnreadBody('timeout', 'RequestTimeoutError', `The request did not arrive within ${seconds} seconds`);
}

/** To close the connection at once would reset it, and a client that is still sending would not see its response. */
export function closeUnlessComplete(payload: IncomingMessage, after_ms: number): void {
  if (payload.complete || payload.readableEnded) return;
  const timer = setTimeout(() => payload.destroy(), after_ms).unref();
  payload.once('end', () => clearTimeout(timer));
}
