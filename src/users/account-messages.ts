import type { Tx } from '../platform/db/database.ts';

/** A code, link or notice to a user: one of the platform service's own templates, filled in. */
export interface AccountMessage {
  template_id: string;
  to: string;
  personalisation: Record<string, string>;
  /** Where answers to an email go; without it, where the platform service's answers go. */
  reply_to?: string;
}

/** Stores the message in the caller's transaction, so that it is sent exactly when what it tells of has happened. */
export interface AccountMessageSender {
  send(tx: Tx, message: AccountMessage): Promise<{ id: string }>;
}
