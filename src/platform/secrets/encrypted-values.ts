import type { Db } from '../db/database.ts';

export interface EncryptedValue {
  /** The row's key, used for pagination. */
  id: string;
  /** The context that the value is bound to (associated data). */
  place: string;
  text: string;
}

export interface ReplacedValue {
  id: string;
  before: string;
  after: string;
}

/** The encrypted values of one table, for `pennypost rekey`. */
export interface EncryptedValues {
  /** Display name. */
  name: string;
  purpose: string;
  /** Returns the next rows in key order that have a value; `last` is undefined at the end. */
  select(db: Db, after: string | undefined, limit: number): Promise<{ values: EncryptedValue[]; last?: string }>;
  /** Replaces a value only if it has not changed since it was read. */
  replace(db: Db, values: ReplacedValue[]): Promise<void>;
}
