import { hash } from '@node-rs/argon2';

/**
 * A password hash as the product stores them, computed and verified in microseconds instead of 50 ms: a hash names its own cost.
 * For tests that sign in often, and are not about the hash.
 */
export function quickHash(password: string): Promise<string> {
  return hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
}
