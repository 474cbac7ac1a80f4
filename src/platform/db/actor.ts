import { ContextValue } from '../process/context-value.ts';

/** The author of the changes that a request makes, for the audit log. */
export interface Actor {
  /** `visitor`: somebody who is not signed in. */
  type: 'user' | 'admin_client' | 'visitor' | 'command' | 'api_key';
  at: string;
  /** Verified by a session. */
  user_id?: string | undefined;
  client?: string | undefined;
  /** Claimed by the client, not verified. */
  claimed_user_id?: string | undefined;
  address?: string | undefined;
  user_agent?: string | undefined;
  request_id?: string | undefined;
  /** Method and path, without ids. */
  request?: string | undefined;
}

const actors = new ContextValue<string>();

/** Attributes every change that `work` makes to this actor. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return actors.run(JSON.stringify(actor), work);
}

/** Returns the current actor as JSON. */
export function currentActor(): string | undefined {
  return actors.current();
}

/** Runs work that several requests share, such as a group commit, without an actor. */
export function asNobody<T>(work: () => T): T {
  return actors.runWithout(work);
}

const writes = /\b(insert|update|delete|merge)\b/i;
const begins = /^\s*(begin|start transaction)\b/i;

export const statementKind = (text: string): 'begins' | 'writes' | 'reads' => {
  if (begins.test(text)) return 'begins';
  return writes.test(text) ? 'writes' : 'reads';
};
