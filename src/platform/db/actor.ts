import { AsyncLocalStorage } from 'node:async_hooks';

/** Who makes the changes of a request, for the audit log. */
export interface Actor {
  /** `visitor`: somebody who is not signed in. */
  type: 'user' | 'admin_client' | 'visitor' | 'command';
  at: string;
  /** Verified by a session. */
  user_id?: string | undefined;
  client?: string | undefined;
  /** As the client says: not verified. */
  claimed_user_id?: string | undefined;
  address?: string | undefined;
  user_agent?: string | undefined;
  request_id?: string | undefined;
  /** Method and path, without ids. */
  request?: string | undefined;
}

const storage = new AsyncLocalStorage<string>();
let acting = 0;

/**
 * Every change that `work` makes is this actor's. While nobody acts, the storage is off: before Node 24 it makes each promise of the
 * process four times as expensive, also those that accept messages.
 */
export function actAs<T>(actor: Actor, work: () => T): T {
  acting += 1;
  const stop = () => {
    acting -= 1;
    if (acting === 0) storage.disable();
  };
  let result: T;
  try {
    result = storage.run(JSON.stringify(actor), work);
  } catch (error) {
    stop();
    throw error;
  }
  if (result instanceof Promise) return result.finally(stop) as T;
  stop();
  return result;
}

/** As JSON, which the triggers of the database read. */
export function currentActor(): string | undefined {
  return acting === 0 ? undefined : storage.getStore();
}

const writes = /\b(insert|update|delete|merge)\b/i;
const begins = /^\s*(begin|start transaction)\b/i;
const ends = /^\s*(commit|rollback)\s*$/i;

export const statementKind = (text: string): 'begins' | 'ends' | 'writes' | 'reads' => {
  if (begins.test(text)) return 'begins';
  if (ends.test(text)) return 'ends';
  return writes.test(text) ? 'writes' : 'reads';
};
