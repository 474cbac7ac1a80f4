import { hash, verify } from '@node-rs/argon2';
import { Limiter } from '../../platform/threads/limiter.ts';

// argon2id with 64 MiB and 2 passes: 50 ms on one core of the reference machine. The library computes on the thread pool,
// so it does not block the event loop. The pool has four threads, which DNS lookups and file reads need too. Two
// passwords at a time leave threads for deliveries and use at most 128 MiB.
const limiter = new Limiter(2);
const cost = { memoryCost: 65_536, timeCost: 2, parallelism: 1 };

/** Stored instead of a hash for accounts that cannot sign in. */
export const noPassword = 'none';

export function hashPassword(password: string): Promise<string> {
  return limiter.run(() => hash(password, cost));
}

/** Takes the same time for a wrong password, an account without a password, and no account (no hash). */
export async function isPassword(password: string, kept: string | undefined): Promise<boolean> {
  const usable = kept?.startsWith('$argon2id$') ? kept : undefined;
  const same = await limiter.run(() => verify(usable ?? impossibleHash, password));
  return same && usable !== undefined;
}

const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64').replaceAll('=', '');
const impossibleHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${base64(16)}$${base64(32)}`;
