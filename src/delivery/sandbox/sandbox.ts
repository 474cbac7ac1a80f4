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
  takeOwedReceipts,
} from './sandbox.sql.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'secrets'> & {
  config: Pick<Config, 'DATA_DIR' | 'SANDBOX_RECEIPTS' | 'SANDBOX_DELAY_MS'>;
};

interface Kept {
  file: string;
  content: string | Buffer;
  row: Omit<SandboxMessage, 'created_at' | 'receipt_due_at'>;
}

/** Carries nothing anywhere: keeps each message as a file to open and a row to look at, and owes a receipt for it. */
export function sandboxTexts(app: Deps): Provider<TextMessage> {
  const outbox = sandboxOutbox(app);
  return {
    name: 'sandbox',
    findAccepted: outbox.findAccepted,
    send: ({ reference, to, sender, text }) =>
      outbox.keep({
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
      return outbox.keep({
        file: `${reference}.eml`,
        content: await mimeOf(message),
        row: { reference, notification_type: 'email', recipient, sender: from.address, subject, body },
      });
    },
  };
}

/** Whether it carries anything: real providers take its place. */
export function isSandboxInUse({ SMS_PROVIDERS, EMAIL_PROVIDERS }: Pick<Config, 'SMS_PROVIDERS' | 'EMAIL_PROVIDERS'>) {
  return SMS_PROVIDERS.includes('sandbox') || EMAIL_PROVIDERS.includes('sandbox');
}

const bodyPurpose = 'sandbox';

/** A code that the sandbox keeps is a code: it is no easier to read in the database than anywhere else. */
function encryptBody(
  { secrets }: Pick<Platform, 'secrets'>,
  { reference, body }: Pick<SandboxMessage, 'reference' | 'body'>,
) {
  return secrets.form === 1 ? body : secrets.encrypt(bodyPurpose, body, reference);
}

/** What was kept before it was encrypted is shown as it is. */
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

/** While messages keep coming they are kept together this often. */
const keepEvery_ms = 5;

function sandboxOutbox(app: Deps) {
  const folder = outboxFolder(app.config.DATA_DIR);
  let folderMade: Promise<unknown> | undefined;
  const commits = new GroupCommit<Kept, Outcome>({
    async commit(kept) {
      folderMade ??= mkdir(folder, { recursive: true, mode: 0o700 });
      await folderMade;
      const now = app.clock.now();
      const due = later(now, app.config.SANDBOX_DELAY_MS);
      const receipt_due_at = app.config.SANDBOX_RECEIPTS === 'auto' ? timestamp(due) : null;
      const rows = kept.map(({ row }) => ({
        ...row,
        body: encryptBody(app, row),
        created_at: timestamp(now),
        receipt_due_at,
      }));
      await Promise.all(kept.map(({ file, content }) => writeFile(join(folder, file), content, { mode: 0o600 })));
      await insertSandboxMessages(app.db, rows);
      return kept.map(() => ({ kind: 'accepted' as const }));
    },
    largest: 500,
    atOnce: 1,
    every_ms: keepEvery_ms,
    concernsAll: isDatabaseUnavailable,
  });
  return {
    keep: (kept: Kept) => commits.add(kept),
    findAccepted: async (references: string[]) => new Set(await selectSandboxReferences(app.db, references)),
  };
}

const mostReceiptsAtOnce = 1_000;

/** The receipts that the sandbox owes by now; paid when the transaction commits. */
export async function takeSandboxReceipts(tx: Tx, now: Date): Promise<Receipt[]> {
  const paid = await takeOwedReceipts(tx, timestamp(now), mostReceiptsAtOnce);
  return paid.map(({ reference, notification_type, recipient }) => ({
    provider: 'sandbox',
    proven: true,
    notification_type,
    reference,
    statusFor: () => simulatedOutcome(recipient),
  }));
}

const keptForDays = 7;

const partSize = 5_000;

/** Rows and files of messages whose service keeps them no longer. */
async function removeOrphans(app: Deps): Promise<void> {
  for (let after: string | null = nilId; after !== null; ) {
    const part = await deleteSandboxOrphans(app.db, after, partSize);
    await removeFiles(app, part.gone);
    after = part.last;
  }
}

/** Returns how many there were. */
export async function eraseSandboxMessages(app: Pick<Deps, 'db'> & OfFolder, references: string[]): Promise<number> {
  let erased = 0;
  for (let from = 0; from < references.length; from += partSize) {
    const gone = await deleteSandboxMessages(app.db, references.slice(from, from + partSize));
    await removeFiles(app, gone);
    erased += gone.length;
  }
  return erased;
}

interface OfFolder {
  config: Pick<Config, 'DATA_DIR'>;
}

async function removeFiles({ config }: OfFolder, references: string[]): Promise<void> {
  for (const reference of references) {
    for (const ending of ['txt', 'eml']) {
      await rm(join(outboxFolder(config.DATA_DIR), `${reference}.${ending}`), { force: true });
    }
  }
}

/** The sandbox forgets a message when its service does, and what is older than a week: files and rows. */
export async function cleanSandbox(app: Deps): Promise<void> {
  const cutoff = earlier(app.clock.now(), keptForDays * day_ms);
  await deleteSandboxMessagesBefore(app.db, firstIdAt(cutoff));
  await removeOrphans(app);
  const folder = outboxFolder(app.config.DATA_DIR);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((file) => /\.(txt|eml)$/.test(file))) {
    const path = join(folder, name);
    const kept = await stat(path);
    // The printer's folder lies beside the messages.
    if (kept.isFile() && kept.mtime < cutoff) await rm(path, { force: true });
  }
}
