import { type BodyMemory, noRoom } from './body-memory.ts';

/** Collects a file that needs to be complete. While it arrives, it is counted in the memory of request bodies. */
export async function collectBytes(memory: BodyMemory, bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let dropped = false;
  const release = () => {
    memory.release(held);
    held = 0;
    chunks = [];
  };
  const arriving = {
    since: performance.now(),
    drop: () => {
      dropped = true;
      memory.end(arriving);
      release();
    },
  };
  memory.begin(arriving);
  try {
    for await (const chunk of bytes) {
      if (!dropped) memory.hold(chunk.length);
      if (dropped) throw noRoom();
      held += chunk.length;
      chunks.push(chunk);
    }
    const file = new Uint8Array(held);
    let at = 0;
    for (const chunk of chunks) {
      file.set(chunk, at);
      at += chunk.length;
    }
    return file;
  } finally {
    memory.end(arriving);
    release();
  }
}
