import type { PrintSettings } from '../../letters/settings.ts';
import { day_ms, earlier, timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { firstIdAt, nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import type { StorageSettings } from '../../platform/settings.ts';
import { simulatedOutcome } from '../../recipients/recipient.ts';
import type { Receipt } from '../providers/reports.ts';
import type { ActiveProviders } from '../providers/settings.ts';
import { deleteOldFile, deleteSourcesBefore, eraseSource } from './email-sources.ts';
import {
  deleteSandboxMessages,
  deleteSandboxMessagesBefore,
  deleteSandboxOrphans,
  hasDueReceipts,
  replaceSandboxBodies,
  type SandboxMessage,
  selectSandboxBodies,
  selectSandboxText,
  takeDueReceipts,
} from './sandbox.sql.ts';

type Deps = Platform & { config: { storage: StorageSettings } };

/** How the messages of each channel are sent, as configured. */
export interface Carriers extends ActiveProviders {
  letters: Pick<PrintSettings, 'handOff'>;
}

/** Whether text messages, email and letters all go to the sandbox, so that no message leaves the machine. */
export function isAllSandbox({ sms, email, letters }: Carriers): boolean {
  return [...sms.providers, ...email.providers, letters.handOff].every((name) => name === 'sandbox');
}

/** Whether a channel uses the sandbox instead of a real provider or printer. */
export function isAnySandbox(config: Carriers): boolean {
  return isSandboxInUse(config) || config.letters.handOff === 'sandbox';
}

/** Whether text messages or email use the sandbox. */
export function isSandboxInUse(config: ActiveProviders): boolean {
  return config.sms.providers.includes('sandbox') || config.email.providers.includes('sandbox');
}

const bodyPurpose = 'sandbox';

/** Encrypted, because messages contain sign-in codes. */
export function encryptBody(
  { secrets }: Pick<Platform, 'secrets'>,
  { reference, body }: Pick<SandboxMessage, 'reference' | 'body'>,
) {
  return secrets.encrypt(bodyPurpose, body, reference);
}

/** Returns a placeholder if the body cannot be decrypted, so that the sandbox stays usable when a developer starts it with another key. */
export function readBody({ secrets }: Platform, { reference, body }: Pick<SandboxMessage, 'reference' | 'body'>) {
  return secrets.decrypt(bodyPurpose, body, reference)?.toString() ?? '[encrypted with a key that SECRET_KEYS lacks]';
}

/** Returns the text of a message that the sandbox has received. */
export async function findSandboxText(app: Platform, reference: string) {
  const message = await selectSandboxText(app.db, reference);
  return message && { subject: message.subject, text: readBody(app, message) };
}

export const sandboxBodies: EncryptedValues = {
  name: 'messages in the sandbox',
  purpose: bodyPurpose,
  select: selectSandboxBodies,
  replace: replaceSandboxBodies,
};

const receiptBatchSize = 1_000;

/** Whether any receipt is due, so that idle steps need no transaction. */
export function areSandboxReceiptsDue(db: Db, now: Date): Promise<boolean> {
  return hasDueReceipts(db, timestamp(now));
}

/** Takes the due receipts. They count as sent when the transaction commits. */
export async function takeSandboxReceipts(tx: Tx, now: Date): Promise<Receipt[]> {
  const due = await takeDueReceipts(tx, timestamp(now), receiptBatchSize);
  return due.map(({ reference, notification_type, recipient }) => ({
    provider: 'sandbox',
    proven: true,
    notification_type,
    reference,
    statusFor: () => simulatedOutcome(recipient),
  }));
}

export const retentionDays = 7;

const partSize = 5_000;

/** Deletes messages whose notification is deleted. */
async function deleteOrphans(app: Deps): Promise<void> {
  for (let after: string | null = nilId; after !== null; ) {
    const part = await deleteSandboxOrphans(app.db, after, partSize);
    for (const source of part.sources) await eraseSource(app, source);
    after = part.last;
  }
}

/** Returns the number of deleted messages. */
export async function eraseSandboxMessages(app: Deps, references: string[]): Promise<number> {
  let erased = 0;
  for (let from = 0; from < references.length; from += partSize) {
    const deleted = await deleteSandboxMessages(app.db, references.slice(from, from + partSize));
    for (const { reference, source } of deleted) {
      await (source ? eraseSource(app, source) : deleteOldFile(app, reference));
    }
    erased += deleted.length;
  }
  return erased;
}

/** Deletes messages when their notification is deleted, or after a week. */
export async function cleanSandbox(app: Deps): Promise<void> {
  const cutoff = earlier(app.clock.now(), retentionDays * day_ms);
  await deleteSandboxMessagesBefore(app.db, firstIdAt(cutoff));
  await deleteOrphans(app);
  await deleteSourcesBefore(app, cutoff);
}
