import { randomFillSync } from 'node:crypto';

const block = Buffer.alloc(4096);
let used = block.length;

/**
 * Random bytes, generated in blocks: a system call per id would cost more than everything else about it. Use the bytes
 * at once: they are a view of the shared block.
 */
export function drawRandomBytes(count: number): Buffer {
  if (used + count > block.length) {
    randomFillSync(block);
    used = 0;
  }
  used += count;
  return block.subarray(used - count, used);
}
