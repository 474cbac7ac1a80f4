import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { day_ms, earlier, later, timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isDatabaseUnavailable } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import { firstIdAt, nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import { simulatedOutcome } from '../../recipients/simulated-recipients.ts';
import { mimeOf } from '../providers/mime.ts';
import type { EmailMessage, Outcome, Provider, Receipt, TextMessage } from '../providers/provider.ts';
import {
  deleteSandboxMessages,
  deleteSandboxMessagesBefore,
  deleteSandboxOrphans,
  insertSandboxMessages,
  replaceSandboxBodies,
  type SandboxMessage,
  selectSandboxBodies,
  selectSandboxReferences,
  takeDueReceipts,
} from './sandbox.sql.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'secrets'> & {
  config: Pick<Config, 'DATA_DIR' | 'SANDBOX_RECEIPTS' | 'SANDBOX_DELAY_MS'>;
};

interface StoredMessage {
  file: string;
  content: string | Buffer;
  row: Omit<SandboxMessage, 'created_at' | 'receipt_due_at'>;
}

/** Sends nothing: stores each message as a file and a row, and simulates a receipt later. */
export function sandboxTexts(app: Deps): Provider<TextMessage> {
  const outbox = sandboxOutbox(app);
  return {
    name: 'sandbox',
    findAccepted: outbox.findAccepted,
    send: ({ reference, to, sender, text }) =>
      outbox.store({
        file: `${reference}.txt`,
        content: `From: ${sender}\nTo: ${to}\n\n${text}\n`,
        row: { reference, notification_type: 'sms', recipient: to, sender, subject: null, body: text },
      }),
  };
}

export function sandboxEmails(app: Deps): Provider<EmailMessage> {
  const outbox = sandboxOutbox(app);
  return {
    name: 'sandbox',
    findAccepted: outbox.findAccepted,
    async send(message) {
      const { reference, to: recipient, from, subject, text: body } = message;
      return outbox.store({
        file: `${reference}.eml`,
        content: await mimeOf(message),
        row: { reference, notification_type: 'email', recipient, sender: from.address, subject, body },
      });
    },
  };
}

/** Whether any channel uses the sandbox instead of a real provider. */
export function isSandboxInUse({ SMS_PROVIDERS, EMAIL_PROVIDERS }: Pick<Config, 'SMS_PROVIDERS' | 'EMAIL_PROVIDERS'>) {
  return SMS_PROVIDERS.includes('sandbox') || EMAIL_PROVIDERS.includes('sandbox');
}

const bodyPurpose = 'sandbox';

/** Encrypted, because messages contain sign-in codes. */
function encryptBody(
  { secrets }: Pick<Platform, 'secrets'>,
  { reference, body }: Pick<SandboxMessage, 'reference' | 'body'>,
) {
  return secrets.form === 1 ? body : secrets.encrypt(bodyPurpose, body, reference);
}

/** Messages stored before encryption was introduced are plain text. */
export function readBody(
  { secrets }: Pick<Platform, 'secrets'>,
  { reference, body }: Pick<SandboxMessage, 'reference' | 'body'>,
) {
  return secrets.decrypt(bodyPurpose, body, reference)?.toString() ?? body;
}

export const sandboxBodies: EncryptedValues = {
  name: 'messages in the sandbox',
  purpose: bodyPurpose,
  select: selectSandboxBodies,
  replace: replaceSandboxBodies,
  open: (app, { id, text }) => Buffer.from(readBody(app, { reference: id, body: text })),
};

export function outboxFolder(dataDir: string): string {
  return join(dataDir, 'outbox');
}

/** Under load, messages are stored in batches this often. */
const storeEvery_ms = 5;

function sandboxOutbox(app: Deps) {
  const folder = outboxFolder(app.config.DATA_DIR);
  let folderMade: Promise<unknown> | undefined;
  const commits = new GroupCommit<StoredMessage, Outcome>({
    async commit(messages) {
      folderMade ??= mkdir(folder, { recursive: true, mode: 0o700 });
      await folderMade;
      const now = app.clock.now();
      const due = later(now, app.config.SANDBOX_DELAY_MS);
      const receipt_due_at = app.config.SANDBOX_RECEIPTS === 'auto' ? timestamp(due) : null;
      const rows = messages.map(({ row }) => ({
        ...row,
        body: encryptBody(app, row),
        created_at: timestamp(now),
        receipt_due_at,
      }));
      await Promise.all(messages.map(({ file, content }) => writeFile(join(folder, file), content, { mode: 0o600 })));
      await insertSandboxMessages(app.db, rows);
      return messages.map(() => ({ kind: 'accepted' as const }));
    },
    largest: 500,
    atOnce: 1,
    every_ms: storeEvery_ms,
    concernsAll: isDatabaseUnavailable,
  });
  return {
    store: (message: StoredMessage) => commits.add(message),
    findAccepted: async (references: string[]) => new Set(await selectSandboxReferences(app.db, references)),
  };
}

const receiptBatchSize = 1_000;

/** Takes the receipts that are due. They are sent when the transaction commits. */
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

const retentionDays = 7;

const partSize = 5_000;

/** Deletes rows and files of messages whose notification is deleted. */
async function deleteOrphans(app: Deps): Promise<void> {
  for (let after: string | null = nilId; after !== null; ) {
    const part = await deleteSandboxOrphans(app.db, after, partSize);
    await deleteFiles(app, part.gone);
    after = part.last;
  }
}

/** Returns the number of deleted messages. */
export async function eraseSandboxMessages(app: Pick<Deps, 'db'> & OfFolder, references: string[]): Promise<number> {
  let erased = 0;
  for (let from = 0; from < references.length; from += partSize) {
    const gone = await deleteSandboxMessages(app.db, references.slice(from, from + partSize));
    await deleteFiles(app, gone);
    erased += gone.length;
  }
  return erased;
}

interface OfFolder {
  config: Pick<Config, 'DATA_DIR'>;
}

async function deleteFiles({ config }: OfFolder, references: string[]): Promise<void> {
  for (const reference of references) {
    for (const ending of ['txt', 'eml']) {
      await rm(join(outboxFolder(config.DATA_DIR), `${reference}.${ending}`), { force: true });
    }
  }
}

/** Deletes messages, rows and files, when their notification is deleted or after a week. */
export async function cleanSandbox(app: Deps): Promise<void> {
  const cutoff = earlier(app.clock.now(), retentionDays * day_ms);
  await deleteSandboxMessagesBefore(app.db, firstIdAt(cutoff));
  await deleteOrphans(app);
  const folder = outboxFolder(app.config.DATA_DIR);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((file) => /\.(txt|eml)$/.test(file))) {
    const path = join(folder, name);
    const stats = await stat(path);
    // The print folder is in the same folder.
    if (stats.isFile() && stats.mtime < cutoff) await rm(path, { force: true });
  }
}
