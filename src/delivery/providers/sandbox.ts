import { later, timestamp } from '../../platform/clock.ts';
import { isDatabaseUnavailable } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import * as setting from '../../platform/setting.ts';
import type { Values } from '../../platform/setting-groups.ts';
import { writeSources } from '../sandbox/email-sources.ts';
import { insertSandboxMessages, type SandboxMessage, selectSandboxReferences } from '../sandbox/sandbox.sql.ts';
import { encryptBody } from '../sandbox/sandbox.ts';
import type { EmailDescriptor, ProviderDeps, SmsDescriptor } from './descriptor.ts';
import { mimeOf } from './mime.ts';
import type { EmailMessage, Outcome, Provider, TextMessage } from './provider.ts';

const settings = {
  receipts: setting.oneOf(
    'SANDBOX_RECEIPTS',
    '`auto`: the sandbox generates a receipt for every message; `hold`: it generates none, and receipts must be posted.',
    ['auto', 'hold'],
    { fallback: 'auto' },
  ),
  delay_ms: setting.integer('SANDBOX_DELAY_MS', 'Milliseconds before the sandbox generates a receipt.', {
    fallback: 200,
    min: 0,
    max: 3_600_000,
  }),
};

export type SandboxSettings = Values<typeof settings>;

type Deps = ProviderDeps<typeof settings>;

/** Sends nothing. Stores each message as a row, and an email's source also in a file, and simulates a receipt later. */
export const sandboxTexts = {
  name: 'sandbox' as const,
  channel: 'sms',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c04',
    display_name: 'Sandbox',
    priority: 50,
    supports_international: true,
  },
  settings,
  open: openTexts,
} satisfies SmsDescriptor<typeof settings>;

export const sandboxEmails = {
  name: 'sandbox' as const,
  channel: 'email',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c07',
    display_name: 'Sandbox',
    priority: 50,
    supports_international: false,
  },
  domains: { kind: 'any' },
  settings,
  open: openEmails,
} satisfies EmailDescriptor<typeof settings>;

function openTexts(app: Deps): Provider<TextMessage> {
  const outbox = sandboxOutbox(app);
  return {
    name: 'sandbox',
    findAccepted: outbox.findAccepted,
    send: ({ reference, to, sender, text }) =>
      outbox.store({
        row: { reference, notification_type: 'sms', recipient: to, sender, subject: null, body: text },
      }),
  };
}

function openEmails(app: Deps): Provider<EmailMessage> {
  const outbox = sandboxOutbox(app);
  return {
    name: 'sandbox',
    findAccepted: outbox.findAccepted,
    async send(message) {
      const { reference, to: recipient, from, subject, text: body } = message;
      return outbox.store({
        source: await mimeOf(message, app.clock.now()),
        row: { reference, notification_type: 'email', recipient, sender: from.address, subject, body },
      });
    },
  };
}

interface StoredMessage {
  /** The MIME source of an email. */
  source?: Buffer;
  row: Omit<SandboxMessage, 'created_at' | 'receipt_due_at' | 'source'>;
}

/** Under load, interval between batches that store messages. */
const storeEvery_ms = 5;

function sandboxOutbox(app: Deps) {
  const commits = new GroupCommit<StoredMessage, Outcome>({
    async commit(messages) {
      const now = app.clock.now();
      const sources = messages.flatMap(({ source }) => source ?? []);
      const locations = sources.length > 0 ? await writeSources(app, sources, now) : [];
      const due = later(now, app.settings.delay_ms);
      const receipt_due_at = app.settings.receipts === 'auto' ? timestamp(due) : null;
      const rows = messages.map(({ row, source }) => ({
        ...row,
        body: encryptBody(app, row),
        created_at: timestamp(now),
        receipt_due_at,
        source: source && locations.shift(),
      }));
      await insertSandboxMessages(app.db, rows);
      return messages.map(() => ({ kind: 'accepted' as const }));
    },
    maxItems: 500,
    maxConcurrent: 1,
    every_ms: storeEvery_ms,
    affectsAll: isDatabaseUnavailable,
  });
  return {
    store: (message: StoredMessage) => commits.add(message),
    findAccepted: async (references: string[]) => new Set(await selectSandboxReferences(app.db, references)),
  };
}
