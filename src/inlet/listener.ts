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
import { connectionClass } from './connection.ts';
import { Reply } from './replies.ts';

/** Decides about the commands of a client. Each rule throws a Reply to refuse. */
export interface InletRules<Client> {
  /** Returns the client that the other rules receive. */
  authenticate(address: string, password: string): Promise<Client>;
  checkSender(client: Client, sender: Sender): Promise<void>;
  /** `accepted` has the recipients that the email has already. */
  checkRecipient(client: Client, address: string, accepted: string[]): Promise<void>;
  /** Returns the text of the 250, once the email is stored. */
  receive(client: Client, stream: SMTPServerDataStream, recipients: string[]): Promise<string>;
  /** The reply for an error that a rule threw. */
  replyTo(error: unknown): Reply;
}

export interface Sender {
  /** Empty for a bounce. */
  address: string;
  /** The SIZE that the client declares, or 0 if it declares none. */
  size_bytes: number;
}

export interface ListenerOptions {
  /** In the greeting. */
  name: string;
  host: string;
  port: number;
  tls: { cert: string; key: string } | undefined;
  implicitTls: boolean;
  plainLoopback: boolean;
  maxMessage_bytes: number;
  maxClients: number;
  /** From connecting to a successful AUTH. */
  loginTimeout_ms: number;
}

/** Enough for a password with the longest name of an API key. */
const maxCommandLength = 4_096;
/** RFC 5321, 4.5.3.2. A client also waits that long for its turn with a large email. */
const idleTimeout_ms = 300_000;
const checkEvery_ms = 1_000;
/** How much of the connections one address may take without signing in. */
const unauthenticatedShare = 0.25;
const closeTimeout_ms = 5_000;

/** The SMTP protocol, as the library smtp-server speaks it. The library is loaded only if the inlet is on. */
export class InletListener<Client> {
  private readonly options: ListenerOptions;
  private readonly rules: InletRules<Client>;
  private server: SMTPServer | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: ListenerOptions, rules: InletRules<Client>) {
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
    const isPlainAllowed = (address: string) => plainLoopback && isLoopback(address);
    const hasTooMany = (address: string) => this.hasTooManyUnauthenticated(address);
    const { loginTimeout_ms } = this.options;

    const Connection = connectionClass(SMTPConnection, isPlainAllowed);

    class Server extends SMTPServer {
      /** Before implicit TLS the limits of connections and of time do not apply by themselves. */
      override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
        const release = super._acceptSocket(socket, handshake);
        if (!release || !handshake) return release;
        if (hasTooMany(socket.remoteAddress ?? '')) {
          socket.on('error', () => undefined).destroy();
          return false;
        }
        setTimeout(() => this._pendingSockets.get(socket)?.destroy(), loginTimeout_ms).unref();
        return release;
      }

      override connect(socket: Socket | TLSSocket, options?: ConstructorParameters<typeof SMTPConnection>[2]): void {
        const connection = new Connection(this, socket, options);
        this.connections.add(connection);
        connection.on('error', (error) => this.emit('error', error));
        connection.init();
      }
    }

    const server = new Server(this.serverOptions(hasTooMany));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    // From now on these are errors of single connections: the client went away, or its TLS failed.
    server.removeAllListeners('error');
    server.on('error', () => undefined);
    this.server = server;
    this.timer = setInterval(() => {
      const latest = performance.now() - loginTimeout_ms;
      for (const connection of server.connections)
        if (!connection.session.user && (connection as InstanceType<typeof Connection>).since < latest)
          connection.send(421, '4.4.2 Authentication took too long');
    }, checkEvery_ms).unref();
    const address = server.server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Accepts no more connections, and gives clients that are sending an email a few seconds to finish. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    const { server } = this;
    this.server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  private hasTooManyUnauthenticated(address: string): boolean {
    const { connections = [], _pendingSockets: beforeTls = new Map<Socket, Socket>() } = this.server ?? {};
    const unauthenticated = [...[...connections].filter(({ session }) => !session.user), ...beforeTls.keys()];
    const network = clientNetwork(address);
    const count = unauthenticated.filter(({ remoteAddress = '' }) => clientNetwork(remoteAddress) === network).length;
    return count > Math.max(1, Math.floor(this.options.maxClients * unauthenticatedShare));
  }

  private serverOptions(hasTooMany: (address: string) => boolean): SMTPServerOptions {
    const { rules } = this;
    const { name, tls, implicitTls, maxMessage_bytes, maxClients } = this.options;
    const reply = (work: Promise<unknown>, done: (error: Error | null) => void) =>
      void work.then(
        () => done(null),
        (error) => done(rules.replyTo(error)),
      );
    return {
      ...tls,
      name,
      ...{ secure: tls !== undefined && implicitTls, banner: 'Pennypost', logger: false, disableReverseLookup: true },
      disabledCommands: [...(tls ? [] : ['STARTTLS']), 'HELP', 'VRFY', 'WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD'],
      authMethods: ['PLAIN', 'LOGIN'],
      // handler_AUTH decides for each connection.
      allowInsecureAuth: true,
      authRequiredMessage: '5.7.0 Authentication required',
      // The sender is not used, and recipients are checked by our own rules.
      lenientAddressParsing: true,
      hideENHANCEDSTATUSCODES: false,
      // We send no delivery reports, and cannot promise TLS for the rest of the way.
      ...{ hideDSN: true, hideREQUIRETLS: true },
      size: maxMessage_bytes,
      ...{ maxClients, maxCommandLength },
      socketTimeout: idleTimeout_ms,
      closeTimeout: closeTimeout_ms,
      onConnect: ({ remoteAddress }, done) => {
        done(hasTooMany(remoteAddress) ? new Reply(421, '4.7.0 Too many connections from your address') : null);
      },
      onAuth: ({ password }: SMTPServerAuthentication, session: SMTPServerSession, done) => {
        rules.authenticate(session.remoteAddress, password ?? '').then(
          (user) => done(null, { user }),
          (error) => done(rules.replyTo(error)),
        );
      },
      onMailFrom: ({ address, args }, { user }, done) => {
        const { SIZE = 0 } = args || {};
        reply(rules.checkSender(user, { address, size_bytes: Number(SIZE) }), done);
      },
      onRcptTo: ({ address }, { user, envelope: { rcptTo } }, done) => {
        const accepted = rcptTo.map((recipient) => recipient.address);
        reply(rules.checkRecipient(user, address, accepted), done);
      },
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
