import { X509Certificate } from 'node:crypto';
import type { ApiCaller, CallerDeps } from '../auth/api-caller.ts';
import type { RefusedRequests } from '../notifications/refused/refused-requests.ts';
import type { SendDeps } from '../notifications/sending/send-context.ts';
import type { BodyMemory } from '../platform/http/body/body-memory.ts';
import { FairTurns } from '../platform/threads/turns.ts';
import { InletListener, type InletRules } from './listener.ts';
import { Logins } from './logins.ts';
import { MailReceiver } from './receive-mail.ts';
import { Reply, replyOf } from './replies.ts';
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
/** From the first byte of an email to its last, once it has its turn. */
const messageTimeout_ms = 120_000;

/** Takes emails of software that cannot call the API. Undefined where it is off. */
export async function openInlet(app: InletDeps): Promise<Inlet | undefined> {
  const { listen, certificate: cert, key, implicitTls, plainLoopback, maxMessage_bytes, clients } = app.config.inlet;
  if (!listen) return undefined;
  const receiver = new MailReceiver(app);
  const tls = cert && key ? { cert, key } : undefined;
  const listener = new InletListener(
    { ...listen, tls, implicitTls, plainLoopback, maxMessage_bytes, maxClients: clients },
    rulesOf(app, receiver),
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

function rulesOf(app: InletDeps, receiver: MailReceiver): InletRules {
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
    return new Reply(451, '4.3.0 Try again later');
  };

  const noted = (caller: ApiCaller, reply: Reply): Reply => {
    app.refusedRequests.noteEmail(caller, reply.responseCode, reply.message);
    return reply;
  };

  const receive = async ({ caller }: Client, stream: AsyncIterable<Buffer>, recipients: string[]): Promise<string> => {
    const arrived = new ArrivingMail(memory, turns, maxMessage_bytes);
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
      try {
        const text = await receive(client as Client, stream as AsyncIterable<Buffer>, recipients);
        count(text === '' ? 'refused' : 'accepted');
        return text;
      } catch (error) {
        const reply = replyTo(error);
        count(reply.responseCode < 500 ? 'postponed' : 'refused');
        throw noted((client as Client).caller, reply);
      }
    },
  };
}

/** One email on its way into memory. */
class ArrivingMail {
  private readonly memory: BodyMemory;
  private readonly turns: FairTurns;
  private readonly max_bytes: number;
  private chunks: Buffer[] = [];
  private held = 0;
  private endTurn: (() => void) | undefined;

  constructor(memory: BodyMemory, turns: FairTurns, max_bytes: number) {
    this.memory = memory;
    this.turns = turns;
    this.max_bytes = max_bytes;
  }

  /** Undefined for an email that is too large, which is read to its end. */
  async collect(owner: string, stream: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
    let deadline = performance.now() + messageTimeout_ms;
    let size = 0;
    for await (const chunk of stream) {
      size += chunk.length;
      if (performance.now() > deadline) throw new Reply(421, '4.4.2 The email took too long');
      if (size > this.max_bytes) this.release();
      else {
        if (size > begin_bytes && !this.endTurn) {
          // Meanwhile the client waits, because nothing more is read from it.
          this.endTurn = await this.turns.take(owner, this.max_bytes);
          deadline = performance.now() + messageTimeout_ms;
        }
        this.memory.hold(chunk.length);
        this.held += chunk.length;
        this.chunks.push(chunk);
      }
    }
    return size > this.max_bytes ? undefined : Buffer.concat(this.chunks);
  }

  release(): void {
    this.memory.release(this.held);
    this.held = 0;
    this.chunks = [];
    this.endTurn?.();
    this.endTurn = undefined;
  }
}
