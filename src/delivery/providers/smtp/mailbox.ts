import type { ImapFlow } from 'imapflow';
import { isInsideName } from '../../../platform/http/networks.ts';
import type { ReportReceiver } from '../reports.ts';
import { maxReport_bytes, type ReportKind } from './read-report.ts';

interface MailboxAddress {
  /** `imaps://user:password@host:993/folder` */
  url: string;
  requireTls: boolean;
}

interface MailboxOptions extends MailboxAddress {
  pollEvery_ms: number;
  /** Resolves with the kind of the report when everything in it is committed. Throws if a later attempt may succeed. */
  handle(source: Buffer): Promise<ReportKind>;
  /** Called when some emails stay in the mailbox, because they could not be recorded yet. */
  onPostponed(emails: number, error: unknown): void;
}

export const mailboxName = 'bounce mailbox';
/** Emails are read and moved in batches of this size. Reading one again after a crash changes nothing. */
const batchSize = 100;
/** Shorter than the lease of the mailbox. */
const maxBatch_ms = 30_000;
const timeout_ms = 20_000;
/** Emails leave the inbox when they are recorded: reports go to this folder, everything else to the other. */
const processedFolder = 'Processed';
const unrecognisedFolder = 'Unrecognised';

/** Reads reports from a mailbox, which no other client should read. */
export class Mailbox implements ReportReceiver {
  readonly name = mailboxName;
  readonly isExclusive = true;
  private readonly options: MailboxOptions;
  private client: ImapFlow | undefined;
  /** The last email of the previous batch; 0 at the beginning of the mailbox. */
  private readUntil = 0;

  constructor(options: MailboxOptions) {
    this.options = options;
  }

  async step(): Promise<number> {
    try {
      const client = await this.connected();
      const { isLast } = await this.readBatch(client);
      return isLast ? this.options.pollEvery_ms : 0;
    } catch (error) {
      await this.close();
      throw readableError(error);
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    client?.close();
  }

  private async connected(): Promise<ImapFlow> {
    if (this.client?.usable) await this.client.noop();
    else this.client = await openWithFolders(this.options);
    return this.client;
  }

  /**
   * Moves recorded emails out of the mailbox. Emails that could not be recorded yet stay, and the next batch begins after them. At its end,
   * the mailbox is read from the beginning again.
   */
  private async readBatch(client: ImapFlow): Promise<{ isLast: boolean }> {
    const uids = ((await client.search({ deleted: false }, { uid: true })) || []).filter((uid) => uid > this.readUntil);
    const handled = await this.handleEach(client, uids.slice(0, batchSize));
    const settled = await Promise.allSettled(handled.map(async ({ uid, kind }) => ({ uid, kind: await kind })));
    const recorded = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const isReport = ({ kind }: { kind: ReportKind }) => kind !== 'other' && kind !== 'unsigned';
    await move(client, recorded.filter(isReport), processedFolder);
    await move(
      client,
      recorded.filter((one) => !isReport(one)),
      unrecognisedFolder,
    );
    const isLast = handled.length === uids.length;
    this.readUntil = isLast ? 0 : (handled.at(-1)?.uid ?? 0);
    // If none could be recorded, the database is probably unavailable: the caller logs that and backs off.
    if (errors.length > 0 && recorded.length === 0) throw errors[0];
    if (errors.length > 0) this.options.onPostponed(errors.length, errors[0]);
    return { isLast };
  }

  /** Handles emails one after the other, each up to a size limit, to limit memory. */
  private async handleEach(client: ImapFlow, uids: number[]): Promise<{ uid: number; kind: Promise<ReportKind> }[]> {
    const handled: { uid: number; kind: Promise<ReportKind> }[] = [];
    const began = performance.now();
    for (const uid of uids) {
      const query = { source: { start: 0, maxLength: maxReport_bytes } };
      const message = await client.fetchOne(String(uid), query, { uid: true });
      const source = message ? message.source : undefined;
      const kind = source
        ? this.options.handle(source)
        : Promise.reject(new Error('an email of the mailbox cannot be read'));
      // Awaited later, even if the next email cannot be fetched.
      kind.catch(() => undefined);
      handled.push({ uid, kind });
      if (performance.now() - began > maxBatch_ms) break;
    }
    return handled;
  }
}

async function open({ url: address, requireTls }: MailboxAddress, readOnly = false): Promise<ImapFlow> {
  // Imported here, because most installations have no mailbox.
  const { ImapFlow } = await import('imapflow');
  const url = new URL(address);
  const secure = url.protocol === 'imaps:';
  const client = new ImapFlow({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 993 : 143) : Number(url.port),
    secure,
    ...(secure || !requireTls || isInsideName(url.hostname) ? {} : { doSTARTTLS: true }),
    auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    disableAutoIdle: true,
    connectionTimeout: timeout_ms,
    greetingTimeout: timeout_ms,
    socketTimeout: 3 * timeout_ms,
    // Its log lines contain addresses.
    logger: false,
  });
  // A lost connection fails the next call.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.mailboxOpen(decodeURIComponent(url.pathname.slice(1)) || 'INBOX', { readOnly });
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

async function openWithFolders(place: MailboxAddress): Promise<ImapFlow> {
  const client = await open(place);
  const existing = await client.list();
  for (const folder of [processedFolder, unrecognisedFolder]) {
    if (!existing.some(({ name }) => name === folder)) await client.mailboxCreate(folder);
  }
  return client;
}

/** Throws, with advice, if the mailbox cannot be opened. */
export async function checkMailbox(place: MailboxAddress): Promise<void> {
  try {
    const client = await open(place, true);
    await client.logout();
  } catch (error) {
    throw new Error(`${readableError(error).message}: correct SMTP_BOUNCE_IMAP_URL`);
  }
}

async function move(client: ImapFlow, emails: { uid: number }[], folder: string): Promise<void> {
  if (emails.length === 0) return;
  const uids = emails.map(({ uid }) => uid);
  const moved = await client.messageMove(uids, folder, { uid: true });
  if (!moved) throw new Error(`emails cannot be moved to the folder ${folder}`);
}

/** imapflow's message is `Command failed`; the reason is in other fields. Server responses may quote addresses. */
function readableError(error: unknown): Error {
  const { code, authenticationFailed, serverResponseCode, message } = error as Error & {
    code?: string;
    authenticationFailed?: boolean;
    serverResponseCode?: string;
  };
  if (authenticationFailed) return new Error('the user or the password is wrong');
  return new Error(serverResponseCode ?? code ?? message);
}
