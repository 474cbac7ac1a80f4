import type { Db } from '../db/database.ts';
import type { Platform } from '../platform.ts';

export interface EncryptedValue {
  /** The row's key, by which the table is walked through. */
  id: string;
  /** What the value is bound to. */
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
  /** For people. */
  name: string;
  purpose: string;
  /** The next rows in the order of the table's key, those without a value left out; `last` is undefined at the end. */
  select(db: Db, after: string | undefined, limit: number): Promise<{ values: EncryptedValue[]; last?: string }>;
  /** Only where the value is still the one that was read. */
  replace(db: Db, values: ReplacedValue[]): Promise<void>;
  /** For values that earlier releases wrote in another way. */
  open?(app: Pick<Platform, 'secrets'>, value: EncryptedValue): Buffer | undefined;
}
