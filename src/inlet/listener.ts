import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type {
  SMTPServer,
  SMTPServerAuthentication,
  SMTPServerDataStream,
  SMTPServerOptions,
  SMTPServerSession,
} from 'smtp-server';
import { clientNetwork, isLoopback } from '../platform/http/networks.ts';
import { Reply } from './replies.ts';

/** What an SMTP client may do, and what happens then. Each throws a Reply to refuse. */
export interface InletRules {
  /** Returns what is known of the client from then on. */
  logIn(address: string, password: string): Promise<unknown>;
  checkSender(client: unknown): Promise<void>;
  checkRecipient(client: unknown, address: string): Promise<void>;
  /** Returns what the client is told once the email is stored. */
  receive(client: unknown, stream: SMTPServerDataStream, recipients: string[]): Promise<string>;
  /** For whatever is thrown. */
  replyTo(error: unknown): Reply;
}

export interface ListenerOptions {
  host: string;
  port: number;
  tls: { cert: string; key: string } | undefined;
  implicitTls: boolean;
  plainLoopback: boolean;
  maxMessage_bytes: number;
  maxClients: number;
  /** From the connection to a right password. */
  loginTimeout_ms: number;
}

const maxRecipients = 50;
/** Enough for a password with the longest name of an API key. */
const maxCommandLength = 4_096;
/** As RFC 5321 asks for: a large email may wait that long for its turn. */
const idleTimeout_ms = 300_000;
const checkEvery_ms = 1_000;
/** Of the connections, for one address that has not signed in on them. */
const shareOfStrangers = 0.25;
const closeTimeout_ms = 5_000;

const tlsFirst = '5.7.0 Must issue a STARTTLS command first';
const loginFirst = '5.7.0 Authentication required';

/** The library behind one door: this file alone knows it. Loaded only where there is an inlet. */
export class InletListener {
  private readonly options: ListenerOptions;
  private readonly rules: InletRules;
  private server: SMTPServer | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: ListenerOptions, rules: InletRules) {
    this.options = options;
    this.rules = rules;
  }

  get connections(): number {
    return this.server?.connections.size ?? 0;
  }

  /** Returns the port. */
  async listen(): Promise<number> {
    const [{ SMTPServer }, { SMTPConnection }] = await Promise.all([
      import('smtp-server'),
      import('smtp-server/lib/smtp-connection.js'),
    ]);
    const { host, port, plainLoopback } = this.options;
    const mayBePlain = (address: string) => plainLoopback && isLoopback(address);

    class Connection extends SMTPConnection {
      readonly since = performance.now();

      override send(code: number, data?: string | string[] | null, context?: string | false): void {
        const needsTls = !this.secure && !mayBePlain(this.remoteAddress);
        if (Array.isArray(data) && needsTls) {
          super.send(
            code,
            data.filter((line) => !line.startsWith('AUTH ')),
            context,
          );
        } else if (code === 538 || (code === 530 && needsTls)) super.send(530, tlsFirst, false);
        else super.send(code, data, typeof data === 'string' && /^[245]\.\d+\.\d+ /.test(data) ? false : context);
      }
    }

    class Server extends SMTPServer {
      override connect(socket: Socket | TLSSocket, options?: ConstructorParameters<typeof SMTPConnection>[2]): void {
        const connection = new Connection(this, socket, options);
        this.connections.add(connection);
        connection.on('error', (error) => this.emit('error', error));
        connection.init();
      }
    }

    const server = new Server(this.serverOptions(mayBePlain, (address) => this.strangersFrom(address)));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    // Errors of single connections: the client went away, or its TLS is broken.
    server.removeAllListeners('error');
    server.on('error', () => undefined);
    this.server = server;
    this.timer = setInterval(() => {
      const latest = performance.now() - this.options.loginTimeout_ms;
      for (const connection of server.connections)
        if (!connection.session.user && (connection as Connection).since < latest)
          connection.send(421, '4.4.2 Sign in sooner');
    }, checkEvery_ms).unref();
    const address = server.server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Takes no more connections, and gives those with an email under way a moment to finish. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    const { server } = this;
    this.server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  private strangersFrom(address: string): number {
    const network = clientNetwork(address);
    const strangers = [...(this.server?.connections ?? [])].filter(({ session }) => !session.user);
    return strangers.filter(({ remoteAddress }) => clientNetwork(remoteAddress) === network).length;
  }

  private serverOptions(
    mayBePlain: (address: string) => boolean,
    strangersFrom: (address: string) => number,
  ): SMTPServerOptions {
    const { rules } = this;
    const { tls, implicitTls, maxMessage_bytes, maxClients } = this.options;
    const answer = (work: Promise<unknown>, done: (error: Error | null) => void) =>
      void work.then(
        () => done(null),
        (error) => done(rules.replyTo(error)),
      );
    return {
      ...tls,
      ...{ secure: tls !== undefined && implicitTls, banner: 'Pennypost', logger: false, disableReverseLookup: true },
      disabledCommands: [...(tls ? [] : ['STARTTLS']), 'HELP', 'VRFY', 'WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD'],
      authMethods: ['PLAIN', 'LOGIN'],
      // Decided for each connection.
      allowInsecureAuth: true,
      authRequiredMessage: loginFirst,
      hideENHANCEDSTATUSCODES: false,
      size: maxMessage_bytes,
      rejectOversized: true,
      ...{ maxClients, maxRecipients, maxCommandLength },
      socketTimeout: idleTimeout_ms,
      closeTimeout: closeTimeout_ms,
      onConnect: ({ remoteAddress }, done) => {
        const tooMany = strangersFrom(remoteAddress) > Math.max(1, Math.floor(maxClients * shareOfStrangers));
        done(tooMany ? new Reply(421, '4.7.0 Too many connections from your address') : null);
      },
      onAuth: ({ password }: SMTPServerAuthentication, session: SMTPServerSession, done) => {
        if (!session.secure && !mayBePlain(session.remoteAddress)) return done(new Reply(530, tlsFirst));
        return void rules.logIn(session.remoteAddress, password ?? '').then(
          (user) => done(null, { user }),
          (error) => done(rules.replyTo(error)),
        );
      },
      onMailFrom: ({ address }, { user }, done) => {
        if (address === '') return done(new Reply(550, '5.7.1 Bounces are not accepted here'));
        return answer(rules.checkSender(user), done);
      },
      onRcptTo: ({ address }, { user }, done) => answer(rules.checkRecipient(user, address), done),
      onData: (stream, { user, envelope }, done) => {
        const recipients = envelope.rcptTo.map(({ address }) => address);
        rules.receive(user, stream, recipients).then(
          (text) => done(null, text),
          (error) => done(rules.replyTo(error)),
        );
      },
    };
  }
}
