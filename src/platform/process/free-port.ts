import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral port range: a port from it could be taken by an outgoing connection before the server listens. */
const lowest = 20_000;
const highest = 32_000;

/** Returns a port of this machine on which no process listens. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 1; attempt <= 100; attempt++) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${lowest} to ${highest} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
