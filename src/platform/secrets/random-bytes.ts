import { randomFillSync } from 'node:crypto';

const block = Buffer.alloc(4096);
let used = block.length;

/**
 * Random bytes, drawn in blocks: a system call for each id would cost more than all the rest of making it. To be used at
 * once: the bytes belong to the block.
 */
export function drawRandomBytes(count: number): Buffer {
  if (used + count > block.length) {
    randomFillSync(block);
    used = 0;
  }
  used += count;
  return block.subarray(used - count, used);
}
