import { keySecrets } from '../auth/api-keys.ts';
import { copiedCallbackTokens } from '../delivery/callbacks/service-callbacks.ts';
import { sandboxBodies } from '../delivery/sandbox/sandbox.ts';
import { documentRecipients } from '../documents/documents.ts';
import { idempotentResponses } from '../notifications/sending/idempotency.ts';
import { secretValues } from '../notifications/sending/secret-values.ts';
import { planMessageContents } from '../plans/message-content.ts';
import type { Db } from '../platform/db/database.ts';
import { missingMigrations } from '../platform/db/migrate.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { OperatorError } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import type { EncryptedValue, EncryptedValues, ReplacedValue } from '../platform/secrets/encrypted-values.ts';
import { SecretBox } from '../platform/secrets/secrets.ts';
import { dkimPrivateKeys } from '../sending-domains/keys/dkim-keys.ts';
import { callbackTokens, signingSecrets } from '../services/settings/callback-api.ts';

/** All values that are stored encrypted with SECRET_KEYS. */
const kept: EncryptedValues[] = [
  keySecrets,
  callbackTokens,
  signingSecrets,
  copiedCallbackTokens,
  documentRecipients,
  secretValues,
  planMessageContents,
  idempotentResponses,
  sandboxBodies,
  dkimPrivateKeys,
];

const batch = 500;

/**
 * Re-encrypts all values with the first key, in batches, while the service runs. Skips values that already use it, so it can be stopped and
 * run again.
 */
export async function rekey({
  url,
  secretKeys,
  say,
}: {
  url: string;
  secretKeys: readonly string[];
  say(line: string): void;
}): Promise<void> {
  const { db, close } = openDatabase({ url, poolSize: 1, log: createLog('silent') });
  try {
    await refuseUnlessUpToDate(db);
    const secrets = new SecretBox(secretKeys);
    let unreadable = 0;
    for (const values of kept) unreadable += await rekeyTable(db, secrets, values, say);
    if (unreadable > 0) {
      throw new OperatorError(
        `${unreadable} values could not be opened with any of the keys and were left as they are. Add the key that they were encrypted with to the end of SECRET_KEYS and run this again.`,
      );
    }
  } finally {
    await close();
  }
}

async function refuseUnlessUpToDate(db: Db): Promise<void> {
  if ((await missingMigrations(db)).length > 0) {
    throw new OperatorError('The database is not up to date: run `pennypost migrate` first.');
  }
}

/** Returns the number of values that could not be decrypted. */
async function rekeyTable(db: Db, secrets: SecretBox, table: EncryptedValues, say: (line: string) => void) {
  const counts = { done: 0, current: 0, unreadable: 0 };
  const progress = () => `  ${table.name}: ${counts.done} re-encrypted, ${counts.current} already current`;
  let reported_at = performance.now();
  for (let after: string | undefined; ; ) {
    const { values, last } = await table.select(db, after, batch);
    if (last === undefined) break;
    after = last;
    const replaced: ReplacedValue[] = [];
    for (const value of values) {
      if (secrets.isCurrent(value.text)) counts.current += 1;
      else {
        const again = encryptAgain(secrets, table, value);
        if (again) replaced.push({ id: value.id, before: value.text, after: again });
        else counts.unreadable += 1;
      }
    }
    if (replaced.length > 0) await table.replace(db, replaced);
    counts.done += replaced.length;
    if (performance.now() - reported_at > 5_000) {
      say(`${progress()} so far`);
      reported_at = performance.now();
    }
  }
  say(progress());
  return counts.unreadable;
}

function encryptAgain(secrets: SecretBox, { purpose }: EncryptedValues, value: EncryptedValue): string | undefined {
  const plain = secrets.decrypt(purpose, value.text, value.place);
  return plain && secrets.encrypt(purpose, plain, value.place);
}
