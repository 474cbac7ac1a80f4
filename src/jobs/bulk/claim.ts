import { createHash } from 'node:crypto';
import { claimIdempotencyKey } from '../../notifications/sending/idempotency.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { JobRow } from '../jobs.sql.ts';

/** Another request with the same Idempotency-Key was accepted first. */
export class KeyTaken extends Error {}

/** Stores the response to a request with an Idempotency-Key, in the transaction that accepts the job. */
export interface BulkClaim {
  store(tx: Tx, job: JobRow): Promise<void>;
}

export function claimKey(
  owner: { service_id: string; key: string; now: Date },
  /** Of the request; known when its body was read. */
  digest: () => string,
  responseOf: (tx: Tx, job: JobRow) => Promise<unknown>,
): BulkClaim {
  const { service_id, key, now } = owner;
  return {
    async store(tx, job) {
      const claim = { key, request_digest: digest(), response: await responseOf(tx, job) };
      if (!(await claimIdempotencyKey(tx, service_id, claim, now))) throw new KeyTaken();
    },
  };
}

/** Does not depend on the order of the parameters. */
export function digestOfStream(type: string, parameters: object, digestOfBytes: string): string {
  const sorted = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256')
    .update(`bulk ${type} ${JSON.stringify(sorted)} ${digestOfBytes}`)
    .digest('base64url');
}
