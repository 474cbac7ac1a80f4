import { day_ms, earlier, hour_ms, later, minute_ms, type Timestamp, timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { maxFailures } from '../users.sql.ts';
import { lockUser } from '../users.ts';
import { isPassword, noPassword } from './passwords.ts';
import {
  countFailure,
  deleteGuessesUntil,
  type GuessRow,
  lockGuesses,
  recordCorrectPassword,
  saveGuesses,
  selectPasswordHash,
  upsertSignInAddress,
} from './sign-in.sql.ts';

/** How long after a sign-in an account remembers the network address. */
const addressIsKnown_ms = 90 * day_ms;
const longestCount_ms = day_ms;

/** The number of wrong passwords that are checked without a wait, and the time after which the count restarts. */
interface Limit {
  free: number;
  period_ms: number;
}
const limits = {
  /** Wrong passwords for one account from one address. */
  pair: { free: maxFailures, period_ms: day_ms },
  /** The same, if the account has signed in from the address before. */
  knownPair: { free: 30, period_ms: day_ms },
  /** Wrong passwords for one account from all addresses that it has not signed in from. */
  account: { free: 100, period_ms: longestCount_ms },
  /** Wrong passwords for all accounts from one address. */
  address: { free: 100, period_ms: hour_ms },
};

interface Guess {
  /** The account with the email address that was typed; undefined if there is none, or it may not sign in here. */
  user_id: string | undefined;
  email_address: string;
  password: string;
  /** The network that the guess comes from, in the format of `networkOf`. */
  from: string;
}

/**
 * Checks a password that was typed into the console. Wrong passwords lead to an exponential backoff that looks like a wrong password and
 * affects only those who cause it: docs/decisions/0015-guessing.md. An account that does not exist or has no password takes the same steps.
 */
export async function isRightGuess(app: Platform, { user_id, email_address, password, from }: Guess): Promise<boolean> {
  const arrived = timestamp(app.clock.now());
  const hash = user_id === undefined ? undefined : await selectPasswordHash(app.db, user_id);
  const userId = hash === noPassword ? undefined : user_id;
  // Hash even during the backoff, so that response times reveal nothing. Hash before taking the lock, to hold it only briefly.
  const matches = await isPassword(password, hash);
  const account = userId ?? email_address.toLowerCase();
  const keys = {
    pair: digestOf(app, account, from),
    account: digestOf(app, account, null),
    address: digestOf(app, null, from),
  };
  return inTransaction(app.db, async (tx) => {
    const user = userId === undefined ? undefined : await lockUser(tx, userId);
    const now = app.clock.now();
    const at = timestamp(now);
    const of = user?.id ?? null;
    const rows = await lockGuesses(
      tx,
      [
        { counted: keys.pair, user_id: of },
        { counted: keys.account, user_id: of },
        { counted: keys.address, user_id: null },
      ],
      at,
    );
    const rowOf = (counted: string) => rows.find((row) => row.counted === counted) as GuessRow;
    const pair = rowOf(keys.pair);
    const isKnown = pair.signed_in_at !== null && pair.signed_in_at > timestamp(earlier(now, addressIsKnown_ms));
    const counts: [GuessRow, Limit][] = isKnown
      ? [[pair, limits.knownPair]]
      : [
          [pair, limits.pair],
          [rowOf(keys.account), limits.account],
          [rowOf(keys.address), limits.address],
        ];
    // Compare with the arrival time: a guess sent during the backoff is rejected however long hashing took.
    const isRefused = counts.some(([{ refused_until }]) => refused_until !== null && refused_until > arrived);
    // Reject the old password if it was changed while hashing.
    const isRight = user !== undefined && matches && (await selectPasswordHash(tx, user.id)) === hash;
    if (!isRefused && isRight) {
      await recordCorrectPassword(tx, user.id, at);
      const over = [pair, rowOf(keys.account)].map((row) => ({ ...row, wrong_count: 0, refused_until: null }));
      await saveGuesses(tx, over);
      return true;
    }
    if (!isRefused)
      await saveGuesses(
        tx,
        counts.map(([row, limit]) => oneMore(row, limit, now)),
      );
    if (user) await countFailure(tx, user, at);
    return false;
  });
}

function oneMore(row: GuessRow, { free, period_ms }: Limit, now: Date): GuessRow {
  const isOver = row.counted_since <= timestamp(earlier(now, period_ms));
  const wrong_count = (isOver ? 0 : row.wrong_count) + 1;
  const wait_ms = lockoutAfter_ms(wrong_count, free);
  return {
    ...row,
    wrong_count,
    counted_since: isOver ? timestamp(now) : row.counted_since,
    refused_until: wait_ms > 0 ? timestamp(later(now, wait_ms)) : null,
  };
}

/** Call it after a complete sign-in: from then on strangers cannot cause a backoff for this account at this address. */
export async function rememberAddress(app: Platform, userId: string, from: string): Promise<void> {
  const row = { counted: digestOf(app, userId, from), user_id: userId };
  await upsertSignInAddress(app.db, row, timestamp(app.clock.now()));
}

export async function deleteOldGuesses({ db, clock }: Platform): Promise<void> {
  const before = (duration_ms: number): Timestamp => timestamp(earlier(clock.now(), duration_ms));
  await deleteGuessesUntil(db, { counted: before(longestCount_ms), signedIn: before(addressIsKnown_ms) });
}

/** Uses the first of SECRET_KEYS. After a key rotation, every address is unknown until the next sign-in. */
function digestOf({ secrets }: Platform, account: string | null, from: string | null): string {
  return secrets.digest('password-guesses', JSON.stringify([account, from]));
}

const maxLockout_ms = 15 * minute_ms;

/** Returns 0 while wrong passwords are free, then 1 s, 2 s, 4 s and so on, up to the maximum. */
export function lockoutAfter_ms(wrong: number, free: number): number {
  return wrong <= free ? 0 : Math.min(1_000 * 2 ** (wrong - free - 1), maxLockout_ms);
}
