import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import type { ReportReceiver } from '../reports.ts';
import { maxReport_bytes } from './read-report.ts';
import type { ReturnPaths } from './return-path.ts';

interface ListenerOptions {
  host: string;
  port: number;
  tls: { cert: string; key: string } | undefined;
  paths: ReturnPaths;
  handle(source: Buffer, recipients: string[]): Promise<unknown>;
}

/** Larger than what mail servers send; only the beginning is kept. */
const maxMessage_bytes = 50 * 1024 * 1024;
const maxClients = 50;
/** Then each transaction is about one message. */
const maxRecipients = 1;
const timeout_ms = 60_000;
const checkEvery_ms = 60_000;

/** A mail server that takes only mail to return paths that we signed. It relays nothing and sends nothing. */
export class BounceListener implements ReportReceiver {
  readonly name = 'bounce listener';
  readonly isExclusive = false;
  private readonly options: ListenerOptions;
  private server: SMTPServer | undefined;

  constructor(options: ListenerOptions) {
    this.options = options;
  }

  /** While another process of this machine has the port, it is tried again. */
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
          // The sender keeps the report and tries again.
          () => done(reply(451, '4.3.0 not recorded, try again later')),
        );
      },
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    // Errors of single connections: the client went away.
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
