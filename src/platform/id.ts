import { randomFillSync } from 'node:crypto';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuidPattern.test(value);
}

/** Sorts before every other id and identifies no row. */
export const nilId = '00000000-0000-0000-0000-000000000000';

const canonical = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Ids are also accepted in upper case and without hyphens. Cache keys and comparisons need this canonical form. */
export function canonicalId(id: string): string {
  if (canonical.test(id)) return id;
  return uuidOfHex(id.replaceAll('-', '').toLowerCase());
}

export function uuidOfHex(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Encodes the 16 bytes of a UUID in base64url for links: 22 characters instead of 36. */
export function shortId(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

const shortLength = 22;
const hexPattern = /^[0-9a-f]{32}$/;

/** Returns the canonical form of an id in a path, which may be short, in upper case or without hyphens; undefined for other text. */
export function idInPath(text: string): string | undefined {
  const hex = text.length === shortLength ? Buffer.from(text, 'base64url').toString('hex') : text.replaceAll('-', '');
  return hexPattern.test(hex.toLowerCase()) ? uuidOfHex(hex.toLowerCase()) : undefined;
}

let last_ms = 0;
let sequence = 0;

/**
 * Returns a UUIDv7. These are time-ordered, so that inserts append to an index and a table can be partitioned by id. A 12-bit counter keeps
 * ids of one process in the same millisecond in order.
 */
export function newId(now: Date): string {
  const bytes = drawRandomBytes(16);
  const ms = now.getTime();
  sequence = ms === last_ms ? (sequence + 1) & 0xfff : bytes.readUInt16BE(6) & 0x7ff;
  last_ms = ms;
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return uuidOfHex(bytes.toString('hex'));
}

/** Returns the creation time of an id. */
export function momentOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** Returns the smallest UUIDv7 of a moment, as the bound of a partition or time range. */
export function firstIdAt(moment: Date): string {
  // UUIDv7 cannot represent times before 1970.
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

const block = Buffer.alloc(4096);
let used = block.length;

/**
 * Random bytes, generated in blocks, because a system call per id would cost more than the rest of its creation. Use the bytes at once:
 * they are a view of the shared block.
 */
export function drawRandomBytes(count: number): Buffer {
  if (used + count > block.length) {
    randomFillSync(block);
    used = 0;
  }
  used += count;
  return block.subarray(used - count, used);
}
