import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Stores the address of a demo server, because `pennypost demo` may run without the settings of the server. */

const fileOf = (dataDir: string) => join(dataDir, 'address');

/** Stores the address. Returns a function that deletes the file. */
export function recordAddress(dataDir: string, address: string): () => void {
  writeFileSync(fileOf(dataDir), `${address}\n`, { mode: 0o600 });
  return () => {
    // Another process that shares the folder may have overwritten it.
    if (recordedAddress(dataDir) === address) rmSync(fileOf(dataDir), { force: true });
  };
}

function recordedAddress(dataDir: string): string | undefined {
  try {
    return readFileSync(fileOf(dataDir), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const timeout_ms = 5_000;

/** Returns undefined if no server responds: a killed server does not delete its address. */
export async function findListeningAddress(dataDir: string): Promise<string | undefined> {
  const address = recordedAddress(dataDir);
  if (address === undefined) return undefined;
  try {
    const { ok } = await fetch(`${address}/livez`, { signal: AbortSignal.timeout(timeout_ms) });
    return ok ? address : undefined;
  } catch {
    return undefined;
  }
}
