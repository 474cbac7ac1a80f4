import { ContextValue } from '../process/context-value.ts';

/** Who makes the changes of a request, for the audit log. */
export interface Actor {
  /** `visitor`: somebody who is not signed in. */
  type: 'user' | 'admin_client' | 'visitor' | 'command' | 'api_key';
  at: string;
  /** Verified by a session. */
  user_id?: string | undefined;
  client?: string | undefined;
  /** What the client says; it is not verified. */
  claimed_user_id?: string | undefined;
  address?: string | undefined;
  user_agent?: string | undefined;
  request_id?: string | undefined;
  /** Method and path, without ids. */
  request?: string | undefined;
}

const actors = new ContextValue<string>();

/** Every change that `work` makes is this actor's. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return actors.run(JSON.stringify(actor), work);
}

/** As JSON. */
export function currentActor(): string | undefined {
  return actors.current();
}

/** For work that belongs to many requests, such as a commit that they share. */
export function asNobody<T>(work: () => T): T {
  return actors.runWithout(work);
}

const writes = /\b(insert|update|delete|merge)\b/i;
const begins = /^\s*(begin|start transaction)\b/i;

export const statementKind = (text: string): 'begins' | 'writes' | 'reads' => {
  if (begins.test(text)) return 'begins';
  return writes.test(text) ? 'writes' : 'reads';
};
