import { createHash } from 'node:crypto';
import { uuidOfHex } from '../platform/id.ts';

const rowBits = 20n;
const jobBits = 54n;

/**
 * Ids of the notifications of a job's rows: UUIDv7 with the time at which the row's chunk became notifications, then the row
 * number, then bits of the job's id. So any process can compute them from the chunk, they ascend with the rows, and a row stored twice
 * would violate the primary key.
 */
export function jobRowIds(jobId: string, expandedAt: Date): (row: number) => string {
  const ofJob = BigInt(`0x${createHash('sha256').update(jobId).digest('hex').slice(0, 14)}`) >> 2n;
  const time = expandedAt.getTime().toString(16).padStart(12, '0');
  return (row) => {
    if (row < 0 || row >= 2 ** Number(rowBits)) throw new RangeError(`No id for row ${row}`);
    // The 74 bits of a UUIDv7 after its time, without version (4 bits) and variant (2 bits): 12 and 62.
    const rest = (BigInt(row) << jobBits) | ofJob;
    const first = (0x7n << 12n) | (rest >> 62n);
    const last = (0b10n << 62n) | (rest & ((1n << 62n) - 1n));
    return uuidOfHex(time + first.toString(16) + last.toString(16));
  };
}
