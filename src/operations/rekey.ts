import { keySecrets } from '../auth/api-keys.ts';
import { copiedCallbackTokens } from '../delivery/callbacks/service-callbacks.ts';
import { sandboxBodies } from '../delivery/sandbox/sandbox.ts';
import { documentRecipients } from '../documents/documents.ts';
import { idempotentResponses } from '../notifications/sending/idempotency.ts';
import { secretValues } from '../notifications/sending/secret-values.ts';
import { type Db, openDatabase } from '../platform/db/database.ts';
import { missingMigrations } from '../platform/db/missing-migrations.ts';
import { createLog } from '../platform/log.ts';
import { OperatorError } from '../platform/operator-error.ts';
import type { EncryptedValue, EncryptedValues, ReplacedValue } from '../platform/secrets/encrypted-values.ts';
import { SecretBox } from '../platform/secrets/secrets.ts';
import { callbackTokens } from '../services/settings/callback-api.ts';
import { signingSecrets } from '../services/settings/callback-signing.ts';
import { copyConfiguration } from '../stores/configuration-copy.ts';
import { refuseUnknownStores } from '../stores/known-stores.ts';
import { refuseOldSchema, refuseOtherStore } from '../stores/refuse-store.ts';

/** All values stored encrypted with SECRET_KEYS. */
const kept: EncryptedValues[] = [
  keySecrets,
  callbackTokens,
  signingSecrets,
  copiedCallbackTokens,
  documentRecipients,
  secretValues,
  idempotentResponses,
  sandboxBodies,
];

/** Part of the configuration: re-encrypted in the main database, then copied to the stores. */
const ofConfiguration = new Set([keySecrets, callbackTokens, signingSecrets]);

const batch = 500;

interface RekeyOptions {
  url: string;
  stores?: readonly { number: number; url: string }[];
  secretKeys: readonly string[];
  say(line: string): void;
}

/**
 * Re-encrypts all values with the first key, in batches, while the service runs. Skips values that are current, so it can be
 * stopped and run again. Nothing begins unless all stores can be used.
 */
export async function rekey({ url, stores = [], secretKeys, say }: RekeyOptions): Promise<void> {
  const log = createLog('silent');
  const main = openDatabase({ url, poolSize: 1, log });
  const others = stores.map((store) => ({ ...store, ...openDatabase({ url: store.url, poolSize: 1, log }) }));
  try {
    await refuseUnlessUpToDate(main.db);
    await refuseUnusableStores(main.db, others);
    const secrets = new SecretBox(secretKeys);
    let unreadable = 0;
    for (const values of kept) unreadable += await rekeyTable(main.db, secrets, values, say);
    for (const { number, db } of others) {
      say(`Store ${number}`);
      for (const values of kept.filter((each) => !ofConfiguration.has(each))) {
        unreadable += await rekeyTable(db, secrets, values, say);
      }
      await copyConfiguration(main.db, db);
    }
    if (unreadable > 0) {
      throw new OperatorError(
        `${unreadable} values could not be opened with any of the keys and were left as they are. Add the key that they were encrypted with to the end of SECRET_KEYS and run this again.`,
      );
    }
  } finally {
    for (const { close } of [main, ...others]) await close();
  }
}

async function refuseUnusableStores(main: Db, stores: readonly { number: number; db: Db }[]): Promise<void> {
  await refuseUnknownStores(
    main,
    stores.map(({ number }) => number),
  );
  for (const { number, db } of stores) {
    try {
      await refuseOtherStore(main, db, number);
      await refuseOldSchema(db, number);
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new OperatorError(`Store ${number} cannot be used: ${reason}. Nothing was changed.`, { cause: error });
    }
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
