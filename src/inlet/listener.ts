import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type {
  SMTPServer,
  SMTPServerAuthentication,
  SMTPServerDataStream,
  SMTPServerOptions,
  SMTPServerSession,
} from 'smtp-server';
import type { ApiCaller } from '../auth/api-caller.ts';
import { clientNetwork, isLoopback } from '../platform/http/networks.ts';
import { connectionClass } from './connection.ts';
import { Reply } from './replies.ts';

/** A client that has signed in. */
interface SignedIn {
  caller: Pick<ApiCaller, 'service_id' | 'api_key_id' | 'key_type'>;
  /** When its latest email ended, or it signed in; by `performance.now()`. Infinity while an email arrives. */
  lastEmailAt: number;
}

/** Decides about the commands of a client. Each rule throws a Reply to refuse. */
export interface InletRules<Client extends SignedIn> {
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
  /** From one email to the next, while there are few free connections. */
  idleTimeout_ms: number;
}

export const sessionStates = ['unauthenticated', 'idle', 'sending'] as const;
type SessionState = (typeof sessionStates)[number];

/** Enough for a password with the longest name of an API key. */
const maxCommandLength = 4_096;
/** RFC 5321, 4.5.3.2. A client also waits that long for its turn with a large email. */
const silenceTimeout_ms = 300_000;
const checkEvery_ms = 1_000;
/** How much of the connections one address may take without signing in, and one service by signing in. */
const maxShare = 0.25;
const maxOfTestKey = 2;
/** When more of the connections are taken, idle ones are closed. */
const fullShare = 0.75;
const closeTimeout_ms = 5_000;

/** The SMTP protocol, as the library smtp-server speaks it. The library is loaded only if the inlet is on. */
export class InletListener<Client extends SignedIn> {
  private readonly options: ListenerOptions;
  private readonly rules: InletRules<Client>;
  private server: SMTPServer | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: ListenerOptions, rules: InletRules<Client>) {
    this.options = options;
    this.rules = rules;
  }

  /** Counts the connections by state. */
  countSessions(): Record<SessionState, number> {
    const counts = { unauthenticated: 0, idle: 0, sending: 0 };
    for (const { session } of this.server?.connections ?? []) counts[stateOf(session.user)] += 1;
    return counts;
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
    const { loginTimeout_ms, idleTimeout_ms, maxClients } = this.options;

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
      const now = performance.now();
      const isNearlyFull = server.connections.size > maxClients * fullShare;
      for (const connection of server.connections) {
        const user: Client | undefined = connection.session.user;
        if (!user) {
          if ((connection as InstanceType<typeof Connection>).since < now - loginTimeout_ms)
            connection.send(421, '4.4.2 Authentication took too long');
        } else if (isNearlyFull && user.lastEmailAt < now - idleTimeout_ms)
          connection.send(421, '4.4.2 Idle for too long while there are many connections');
      }
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
    return count > this.share;
  }

  /** How many connections one address or service may have. */
  private get share(): number {
    return Math.max(1, Math.floor(this.options.maxClients * maxShare));
  }

  private refuseTooManyOf({ service_id, api_key_id, key_type }: SignedIn['caller']): void {
    const users = [...(this.server?.connections ?? [])].flatMap(({ session }): SignedIn[] => session.user || []);
    const ofService = users.filter(({ caller }) => caller.service_id === service_id);
    if (ofService.length >= this.share) throw new Reply(421, '4.7.0 Too many connections of this service');
    const ofKey = ofService.filter(({ caller }) => caller.api_key_id === api_key_id);
    if (key_type === 'test' && ofKey.length >= maxOfTestKey)
      throw new Reply(421, `4.7.0 A test key can have at most ${maxOfTestKey} connections`);
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
      socketTimeout: silenceTimeout_ms,
      closeTimeout: closeTimeout_ms,
      onConnect: ({ remoteAddress }, done) => {
        done(hasTooMany(remoteAddress) ? new Reply(421, '4.7.0 Too many connections from your address') : null);
      },
      onAuth: ({ password }: SMTPServerAuthentication, session: SMTPServerSession, done) => {
        const authenticate = async () => {
          const user = await rules.authenticate(session.remoteAddress, password ?? '');
          this.refuseTooManyOf(user.caller);
          return user;
        };
        authenticate().then(
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
        user.lastEmailAt = Number.POSITIVE_INFINITY;
        const end = () => {
          user.lastEmailAt = performance.now();
        };
        rules
          .receive(user, stream, recipients)
          .finally(end)
          .then(
            (text) => done(null, text),
            (error) => done(rules.replyTo(error)),
          );
      },
    };
  }
}

function stateOf(user: SignedIn | undefined): SessionState {
  if (!user) return 'unauthenticated';
  return user.lastEmailAt === Number.POSITIVE_INFINITY ? 'sending' : 'idle';
}
