import { hash, verify } from '@node-rs/argon2';
import { Turns } from '../../platform/threads/turns.ts';

// argon2id with 64 MiB and 2 passes: 50 ms on one core of the reference machine. The library computes on the thread pool,
// so requests go on meanwhile. That pool has four threads, and looking up names and reading files needs them too: two
// passwords at a time leave room for deliveries, and hold no more than 128 MiB.
const turns = new Turns(2);
const cost = { memoryCost: 65_536, timeCost: 2, parallelism: 1 };

/** Kept instead of a hash for accounts that nobody can sign in to. */
export const noPassword = 'none';

export function hashPassword(password: string): Promise<string> {
  return turns.take(() => hash(password, cost));
}

/** Takes the same time whether the password is wrong, the account has none, or there is no account (no hash). */
export async function isPassword(password: string, kept: string | undefined): Promise<boolean> {
  const usable = kept?.startsWith('$argon2id$') ? kept : undefined;
  const same = await turns.take(() => verify(usable ?? impossibleHash, password));
  return same && usable !== undefined;
}

const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64').replaceAll('=', '');
const impossibleHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${base64(16)}$${base64(32)}`;
