import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import { failureOfDatabaseError, isCollision } from '../../../platform/db/errors.ts';
import { Failure } from '../../../platform/failure.ts';
import { listenAddress } from '../../../platform/http/networks.ts';
import type { ReceiptDeps, ReceiverDeps } from '../descriptor.ts';
import type { ReceiptOutcome, ReceiptStatus, ReportReceiver } from '../reports.ts';
import { checkMailbox, Mailbox, mailboxName } from './mailbox.ts';
import { maxReport_bytes, type Report, type ReportKind, readReport } from './read-report.ts';
import { problemOfReturnPath, ReturnPaths } from './return-path.ts';
import type { SmtpSettings, smtpSettings } from './settings.ts';

export function problemsOfBounces({ returnPath, imapUrl, listen }: Partial<SmtpSettings>): string[] {
  if (returnPath === undefined) {
    const given =
      imapUrl !== undefined ? 'SMTP_BOUNCE_IMAP_URL' : listen !== undefined ? 'SMTP_BOUNCE_LISTEN' : undefined;
    return given === undefined ? [] : [`SMTP_RETURN_PATH must be set when ${given} is set`];
  }
  const problem = problemOfReturnPath(returnPath);
  const isUnread = imapUrl === undefined && listen === undefined;
  return [
    ...(problem === undefined ? [] : [`SMTP_RETURN_PATH ${problem}, not "${returnPath}"`]),
    ...(isUnread ? ['SMTP_BOUNCE_IMAP_URL or SMTP_BOUNCE_LISTEN must be set when SMTP_RETURN_PATH is set'] : []),
    ...(listen === undefined || listenAddress(listen)
      ? []
      : [`SMTP_BOUNCE_LISTEN must be an address and a port such as 0.0.0.0:25, not "${listen}"`]),
  ];
}

type Deps = ReceiverDeps<typeof smtpSettings>;

export function receivers(app: Deps): ReportReceiver[] {
  const { returnPath, imapUrl, listen, requireTls, pollEvery_ms, listenCertificate, listenKey } = app.settings;
  if (returnPath === undefined) return [];
  const paths = new ReturnPaths(returnPath, app.secrets);
  const handle = (source: Buffer, recipients?: string[]) => handleReport(app, paths, source, recipients);
  const onPostponed = (emails: number, err: unknown) =>
    app.log.warn(
      { event: 'reports.postponed', emails, err },
      'Emails could not be recorded yet; they stay in the mailbox',
    );
  const address = listen === undefined ? undefined : listenAddress(listen);
  const tls = listenCertificate && listenKey ? { cert: listenCertificate, key: listenKey } : undefined;
  return [
    ...(imapUrl === undefined ? [] : [new Mailbox({ url: imapUrl, requireTls, pollEvery_ms, handle, onPostponed })]),
    ...(address === undefined ? [] : [new BounceListener({ ...address, tls, paths, handle })]),
  ];
}

export function receiverChecks({ imapUrl, requireTls }: SmtpSettings) {
  if (imapUrl === undefined) return [];
  return [{ name: mailboxName, check: () => checkMailbox({ url: imapUrl, requireTls }) }];
}

/** Throws only if a later attempt may succeed, so that an email that can never be recorded is not retried without end. */
async function handleReport(app: Deps, paths: ReturnPaths, source: Buffer, recipients?: string[]): Promise<ReportKind> {
  try {
    const report = await readReport(source, paths, recipients);
    await recordReport(app, report);
    app.countReport(report.kind);
    return report.kind;
  } catch (error) {
    if (isTemporary(error)) throw error;
    app.log.error(
      { event: 'report.failed', err: error },
      'An email about the delivery of a message could not be recorded',
    );
    app.countReport('other');
    return 'other';
  }
}

/** The database is unavailable or busy, or the transaction collided with another. */
function isTemporary(error: unknown): boolean {
  const failure = error instanceof Failure ? error : failureOfDatabaseError(error);
  return failure?.kind === 'unavailable' || isCollision(error);
}

const provider = 'smtp';
const statuses = new Map<Report['kind'], ReceiptStatus>([
  ['hard-bounce', 'permanent-failure'],
  ['soft-bounce', 'temporary-failure'],
  ['delivered', 'delivered'],
]);

/** Resolves when the report is committed. Recording the same report again changes nothing. */
async function recordReport(
  app: Pick<ReceiptDeps, 'recordReceipt' | 'recordComplaint' | 'log'>,
  report: Report,
): Promise<void> {
  const recorded = await record(app, report);
  if (recorded !== 'unknown') return;
  app.log.warn({ event: 'receipt.unmatched', kind: report.kind }, 'An email receipt refers to an unknown message');
}

async function record(
  app: Pick<ReceiptDeps, 'recordReceipt' | 'recordComplaint'>,
  report: Report,
): Promise<ReceiptOutcome | undefined> {
  if (report.kind === 'complaint') {
    const { id: reference, complaint_type, complaint_date } = report;
    // A message has one recipient, so a second complaint of the type is the same one.
    const feedback_id = `${complaint_type}.${reference}`;
    return app.recordComplaint({ provider, reference, feedback_id, complaint_type, complaint_date });
  }
  const status = statuses.get(report.kind);
  if (status === undefined || !('id' in report)) return undefined;
  return app.recordReceipt({
    provider,
    notification_type: 'email',
    reference: report.id,
    proven: true,
    ...('reason' in report && report.reason && { reason: report.reason }),
    statusFor: () => status,
    correctsDelivery: status !== 'delivered',
  });
}

interface ListenerOptions {
  host: string;
  port: number;
  tls: { cert: string; key: string } | undefined;
  paths: ReturnPaths;
  handle(source: Buffer, recipients: string[]): Promise<unknown>;
}

/** Larger than any message of a mail server; only the beginning is kept. */
const maxMessage_bytes = 50 * 1024 * 1024;
const maxClients = 50;
/** One recipient, so that each SMTP transaction is about one message. */
const maxRecipients = 1;
const timeout_ms = 60_000;
const checkEvery_ms = 60_000;

/** A mail server that accepts only mail to return paths that we signed. It relays nothing and sends nothing. */
class BounceListener implements ReportReceiver {
  readonly name = 'bounce listener';
  readonly isExclusive = false;
  private readonly options: ListenerOptions;
  private server: SMTPServer | undefined;

  constructor(options: ListenerOptions) {
    this.options = options;
  }

  /** Tries again later while another process of this machine has the port. */
  async step(): Promise<number> {
    if (!this.server) this.server = await this.listen();
    return checkEvery_ms;
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  private async listen(): Promise<SMTPServer> {
    const { SMTPServer } = await import('smtp-server');
    const { host, port, tls, paths } = this.options;
    const server = new SMTPServer({
      banner: 'Pennypost bounces',
      ...(tls ?? {}),
      disabledCommands: tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
      size: maxMessage_bytes,
      rejectOversized: true,
      maxClients,
      maxRecipients,
      socketTimeout: timeout_ms,
      closeTimeout: 5_000,
      disableReverseLookup: true,
      logger: false,
      onRcptTo: ({ address }, _session, done) =>
        done(paths.idOfAddress(address) === undefined ? reply(550, '5.1.1 no such address') : null),
      onData: (stream, { envelope }, done) => {
        const recipients = envelope.rcptTo.map(({ address }) => address);
        this.receive(stream, recipients).then(
          () => done(null),
          // The sender keeps the report and retries.
          () => done(reply(451, '4.3.0 not recorded, try again later')),
        );
      },
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    // Errors of single connections: the client disconnected.
    server.removeAllListeners('error');
    server.on('error', () => undefined);
    return server;
  }

  private async receive(stream: SMTPServerDataStream, recipients: string[]): Promise<void> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (size < maxReport_bytes) chunks.push(chunk.subarray(0, maxReport_bytes - size));
      size += chunk.length;
    }
    await this.options.handle(Buffer.concat(chunks), recipients);
  }
}

function reply(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
