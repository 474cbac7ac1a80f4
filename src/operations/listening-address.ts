import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the server of a demonstration listens: `pennypost demo` may run without the settings that the server has. */

const fileOf = (dataDir: string) => join(dataDir, 'address');

/** Returns what removes it again. */
export function recordAddress(dataDir: string, address: string): () => void {
  writeFileSync(fileOf(dataDir), `${address}\n`, { mode: 0o600 });
  return () => {
    // Another process that shares the folder may have taken over.
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

const answerWithin_ms = 5_000;

/** Undefined when no server answers there: one that was killed could not remove its address. */
export async function findListeningAddress(dataDir: string): Promise<string | undefined> {
  const address = recordedAddress(dataDir);
  if (address === undefined) return undefined;
  try {
    const { ok } = await fetch(`${address}/livez`, { signal: AbortSignal.timeout(answerWithin_ms) });
    return ok ? address : undefined;
  } catch {
    return undefined;
  }
}
