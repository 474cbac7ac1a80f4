import { X509Certificate } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ApiCaller, CallerDeps } from '../auth/api-caller.ts';
import type { RefusedRequests } from '../notifications/refused/refused-requests.ts';
import type { SendDeps } from '../notifications/sending/send-context.ts';
import type { BodyMemory } from '../platform/http/body/body-memory.ts';
import { FairTurns } from '../platform/threads/turns.ts';
import { withinSpan } from '../platform/tracing/span.ts';
import { InletListener, type InletRules } from './listener.ts';
import { Logins } from './logins.ts';
import { MailReceiver } from './receive-mail.ts';
import { connectionLost, ourFault, Reply, replyOf } from './replies.ts';
import { type InletSettings, shareOfBodyMemory } from './settings.ts';

type InletDeps = CallerDeps &
  SendDeps & {
    bodyMemory: BodyMemory;
    refusedRequests: RefusedRequests;
    config: CallerDeps['config'] & SendDeps['config'] & { inlet: InletSettings };
  };

export interface Inlet {
  port: number;
  close(): Promise<void>;
}

/** Who has signed in. Kept to check again before each email. */
interface Client {
  address: string;
  password: string;
  caller: ApiCaller;
}

/** So much of each email is read at once; what is larger waits for its turn. */
const begin_bytes = 64 * 1024;

export interface InletTimes {
  /** From the connection to a right password. */
  login_ms: number;
  /** From the first byte of an email to its last; for a large one, from its turn. */
  message_ms: number;
}

const usualTimes: InletTimes = { login_ms: 30_000, message_ms: 120_000 };

/** Takes emails of software that cannot call the API. Undefined where it is off. */
export async function openInlet(app: InletDeps, times = usualTimes): Promise<Inlet | undefined> {
  const { listen, certificate: cert, key, implicitTls, plainLoopback, maxMessage_bytes, clients } = app.config.inlet;
  if (!listen) return undefined;
  const receiver = new MailReceiver(app);
  const tls = cert && key ? { cert, key } : undefined;
  const listener = new InletListener(
    {
      ...listen,
      tls,
      implicitTls,
      plainLoopback,
      maxMessage_bytes,
      maxClients: clients,
      loginTimeout_ms: times.login_ms,
    },
    rulesOf(app, receiver, times),
  );
  const port = await listener.listen();
  app.metrics.gauge('smtp_inlet_sessions', 'Connections to the SMTP inlet', () => listener.connections);
  if (cert) {
    const until = Date.parse(new X509Certificate(cert).validTo) / 1_000;
    app.metrics.gauge('smtp_inlet_certificate_expiry_seconds', 'When the certificate expires', () => until);
  }
  return {
    port,
    async close() {
      await listener.close();
      await receiver.close();
    },
  };
}

type Outcome = 'accepted' | 'refused' | 'postponed';

function rulesOf(app: InletDeps, receiver: MailReceiver, { message_ms }: InletTimes): InletRules {
  const { maxMessage_bytes, clients } = app.config.inlet;
  const logins = new Logins(app);
  const memory = app.bodyMemory.share(shareOfBodyMemory);
  const room = app.config.http.bodyMemory_bytes * shareOfBodyMemory - clients * begin_bytes;
  const turns = new FairTurns({ underWay: clients, size: room, waiting: clients });
  const messages = app.metrics.counter('smtp_inlet_messages_total', 'Emails at the SMTP inlet', ['outcome']);
  const count = (outcome: Outcome) => messages.inc({ outcome });
  for (const outcome of ['accepted', 'refused', 'postponed'] as const) messages.inc({ outcome }, 0);

  const replyTo = (error: unknown): Reply => {
    const reply = replyOf(error);
    if (reply) return reply;
    app.log.error({ event: 'inlet.failed', err: error }, 'An SMTP command failed');
    return new Reply(ourFault, '4.3.0 Try again later');
  };

  const noted = (caller: ApiCaller, reply: Reply): Reply => {
    if (reply.responseCode !== ourFault && reply !== connectionLost)
      app.refusedRequests.noteEmail(caller, reply.responseCode, reply.message);
    return reply;
  };

  const receive = async ({ caller }: Client, stream: Readable, recipients: string[]): Promise<string> => {
    const arrived = new ArrivingMail(memory, turns, { max_bytes: maxMessage_bytes, timeout_ms: message_ms });
    try {
      const source = await arrived.collect(caller.service_id, stream);
      // The listener refuses it.
      if (!source) return '';
      return `2.0.0 Queued as ${await receiver.receive(caller, source, recipients)}`;
    } finally {
      arrived.release();
    }
  };

  return {
    replyTo,
    async logIn(address, password): Promise<Client> {
      return { address, password, caller: await logins.logIn(address, password) };
    },
    async checkSender(client) {
      const { address, password } = client as Client;
      (client as Client).caller = await logins.callerOf(address, password);
    },
    async checkRecipient(client, address) {
      const { caller } = client as Client;
      await receiver.checkRecipient(caller, address).catch((error) => {
        throw noted(caller, replyTo(error));
      });
    },
    async receive(client, stream, recipients) {
      const span = app.tracing?.startRequest({}, { name: 'SMTP DATA', kind: 'server', facts: {} });
      const work = () => receive(client as Client, stream, recipients);
      const end = (code: number) => {
        span?.set({ 'smtp.response.status_code': code });
        span?.end(code === ourFault ? `status ${code}` : undefined);
      };
      try {
        const text = await (span ? withinSpan(span, work) : work());
        count(text === '' ? 'refused' : 'accepted');
        end(text === '' ? 552 : 250);
        return text;
      } catch (error) {
        const reply = replyTo(error);
        count(reply.responseCode < 500 ? 'postponed' : 'refused');
        end(reply.responseCode);
        throw noted((client as Client).caller, reply);
      }
    },
  };
}

/** One email on its way into memory. */
class ArrivingMail {
  private readonly memory: BodyMemory;
  private readonly turns: FairTurns;
  private readonly limits: { max_bytes: number; timeout_ms: number };
  /** The system provides only the memory of it that is written to. */
  private room = Buffer.alloc(0);
  private held = 0;
  private endTurn: (() => void) | undefined;

  constructor(memory: BodyMemory, turns: FairTurns, limits: { max_bytes: number; timeout_ms: number }) {
    this.memory = memory;
    this.turns = turns;
    this.limits = limits;
  }

  /** In memory that is its own. Undefined for an email that is too large, which is read to its end. */
  async collect(owner: string, stream: Readable): Promise<Buffer | undefined> {
    const { max_bytes } = this.limits;
    let timer = this.startTimer(stream);
    let size = 0;
    this.growTo(begin_bytes);
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > max_bytes) this.release();
        else {
          if (size > begin_bytes && !this.endTurn) {
            clearTimeout(timer);
            // Meanwhile the client waits, because nothing more is read from it.
            this.endTurn = await this.turns.take(owner, max_bytes);
            this.growTo(max_bytes);
            timer = this.startTimer(stream);
          }
          this.keep(chunk);
        }
      }
    } finally {
      clearTimeout(timer);
    }
    return size > max_bytes ? undefined : this.room.subarray(0, size);
  }

  release(): void {
    this.memory.release(this.held);
    this.held = 0;
    this.room = Buffer.alloc(0);
    this.endTurn?.();
    this.endTurn = undefined;
  }

  private startTimer(stream: Readable): NodeJS.Timeout {
    const tooLong = () => stream.destroy(new Reply(421, '4.4.2 The email took too long'));
    return setTimeout(tooLong, this.limits.timeout_ms).unref();
  }

  private growTo(bytes: number): void {
    const { room } = this;
    this.room = Buffer.allocUnsafeSlow(bytes);
    room.copy(this.room, 0, 0, this.held);
  }

  private keep(chunk: Buffer): void {
    this.memory.hold(chunk.length);
    chunk.copy(this.room, this.held);
    this.held += chunk.length;
  }
}
