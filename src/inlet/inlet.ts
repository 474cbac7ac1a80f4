import { X509Certificate } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ApiCaller, CallerDeps, CountAs } from '../auth/api-caller.ts';
import type { RefusedRequests } from '../notifications/refused/refused-requests.ts';
import type { SendDeps } from '../notifications/sending/send-context.ts';
import { minute_ms } from '../platform/clock.ts';
import type { BodyMemory } from '../platform/http/body/body-memory.ts';
import { FairLimiter } from '../platform/threads/limiter.ts';
import { withinSpan } from '../platform/tracing/span.ts';
import { Authenticator } from './authenticator.ts';
import { InletListener, type InletRules, sessionStates } from './listener.ts';
import { MailBuffer, smallMail_bytes } from './mail-buffer.ts';
import { MailReceiver } from './receive-mail.ts';
import { connectionLost, localError, Reply, replyOf } from './replies.ts';
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

/** A client that has signed in. Its key is checked again before each email. */
interface Client {
  address: string;
  password: string;
  caller: ApiCaller;
  lastEmailAt: number;
  /** When its last refused emails were refused. */
  refusedAt: number[];
  /** Counts the email that it is sending in the rate limit. */
  countAs: CountAs;
  hasTooManyRecipients: boolean;
}

const maxRecipients = 50;
/** A connection with more refused emails within a minute is closed. */
const maxRefused = 10;
/** An email counts at least once for each started megabyte in the rate limit. */
const sizePerRequest_bytes = 1024 * 1024;

export interface InletTimes {
  /** From connecting to a successful AUTH. */
  login_ms: number;
  /** From DATA to the end of the email; a large one has this time again from its turn. */
  message_ms: number;
  /** From one email to the next, while there are few free connections. */
  idle_ms: number;
}

const defaultTimes: InletTimes = { login_ms: 30_000, message_ms: 120_000, idle_ms: minute_ms };

/** Accepts emails from software that cannot call the API. Returns undefined if the inlet is off. */
export async function openInlet(app: InletDeps, given: Partial<InletTimes> = {}): Promise<Inlet | undefined> {
  const times = { ...defaultTimes, ...given };
  const { listen, certificate: cert, key, implicitTls, plainLoopback, maxMessage_bytes, clients } = app.config.inlet;
  if (!listen) return undefined;
  const receiver = new MailReceiver(app);
  const tls = cert && key ? { cert, key } : undefined;
  const listener = new InletListener(
    {
      ...listen,
      name: new URL(app.config.urls.api).hostname,
      tls,
      implicitTls,
      plainLoopback,
      maxMessage_bytes,
      maxClients: clients,
      loginTimeout_ms: times.login_ms,
      idleTimeout_ms: times.idle_ms,
    },
    rulesOf(app, receiver, times),
  );
  const port = await listener.listen();
  app.metrics.gauges('smtp_inlet_sessions', 'Connections to the SMTP inlet', ['state'], async () => {
    const counts = listener.countSessions();
    return sessionStates.map((state) => ({ labels: { state }, value: counts[state] }));
  });
  app.metrics.gauge('smtp_inlet_max_sessions', 'SMTP_INLET_CLIENTS', () => clients);
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

function rulesOf(app: InletDeps, receiver: MailReceiver, { message_ms }: InletTimes): InletRules<Client> {
  const { maxMessage_bytes, clients } = app.config.inlet;
  const authenticator = new Authenticator(app);
  const memory = app.bodyMemory.share(shareOfBodyMemory);
  const room = app.config.http.bodyMemory_bytes * shareOfBodyMemory - clients * smallMail_bytes;
  const turns = new FairLimiter({ running: clients, size: room, waiting: clients });
  const messages = app.metrics.counter('smtp_inlet_messages_total', 'Emails at the SMTP inlet', ['outcome']);
  const count = (outcome: Outcome) => messages.inc({ outcome });
  for (const outcome of ['accepted', 'refused', 'postponed'] as const) messages.inc({ outcome }, 0);

  const replyTo = (error: unknown): Reply => {
    const reply = replyOf(error);
    if (reply) return reply;
    app.log.error({ event: 'inlet.failed', err: error }, 'An SMTP command failed');
    return new Reply(localError, '4.3.0 Try again later');
  };

  const tooLarge = new Reply(552, `5.3.4 The email is larger than ${maxMessage_bytes} bytes`);

  const recorded = (caller: ApiCaller, reply: Reply): Reply => {
    if (reply.responseCode !== localError && reply !== connectionLost)
      app.refusedRequests.recordEmail(caller, reply.responseCode, reply.message);
    return reply;
  };

  const receive = async ({ caller, countAs }: Client, stream: Readable, recipients: string[]): Promise<string> => {
    const buffer = new MailBuffer(memory, turns, { max_bytes: maxMessage_bytes, timeout_ms: message_ms });
    // Also if the email is refused, or never ends.
    const countSize = () => countAs(Math.max(1, Math.ceil(buffer.received_bytes / sizePerRequest_bytes)));
    try {
      const source = await buffer.read(caller.service_id, stream).finally(countSize);
      if (!source) throw tooLarge;
      return `2.0.0 Queued as ${await receiver.receive(caller, source, recipients, countAs)}`;
    } finally {
      buffer.release();
    }
  };

  /** Counts and records the refusal of an email. Returns the reply. */
  const refusalOf = (client: Client, error: unknown): Reply => {
    const reply = replyTo(error);
    const isFinal = reply.responseCode >= 500;
    count(isFinal ? 'refused' : 'postponed');
    if (isFinal) client.refusedAt = [...client.refusedAt, performance.now()].slice(-maxRefused);
    return recorded(client.caller, reply);
  };

  const isRefusedTooOften = ({ refusedAt }: Client): boolean => {
    const [first = 0] = refusedAt;
    return refusedAt.length === maxRefused && performance.now() - first < minute_ms;
  };

  return {
    replyTo,
    async authenticate(address, password) {
      const caller = await authenticator.authenticate(address, password);
      const fresh = { lastEmailAt: performance.now(), refusedAt: [], countAs: () => {}, hasTooManyRecipients: false };
      return { address, password, caller, ...fresh };
    },
    async checkSender(client, sender) {
      if (isRefusedTooOften(client)) throw new Reply(421, '4.7.0 Too many refused emails');
      client.caller = await authenticator.callerOf(client.address, client.password);
      client.hasTooManyRecipients = false;
      try {
        client.countAs = await receiver.takePermit(client.caller);
        if (sender.address === '') throw new Reply(550, '5.7.1 Bounces are not accepted here');
        if (sender.size_bytes > maxMessage_bytes) throw tooLarge;
      } catch (error) {
        throw refusalOf(client, error);
      }
    },
    async checkRecipient(client, address, accepted) {
      const { caller } = client;
      if (accepted.length >= maxRecipients && !accepted.includes(address)) {
        const reply = new Reply(452, `4.5.3 An email can have at most ${maxRecipients} recipients`);
        if (client.hasTooManyRecipients) throw reply;
        client.hasTooManyRecipients = true;
        throw recorded(caller, reply);
      }
      await receiver.checkRecipient(caller, address).catch((error) => {
        throw recorded(caller, replyTo(error));
      });
    },
    async receive(client, stream, recipients) {
      const span = app.tracing?.startRequest({}, { name: 'SMTP DATA', kind: 'server', facts: {} });
      const work = () => receive(client, stream, recipients);
      const end = (code: number) => {
        span?.set({ 'smtp.response.status_code': code });
        span?.end(code === localError ? `status ${code}` : undefined);
      };
      try {
        const text = await (span ? withinSpan(span, work) : work());
        count('accepted');
        end(250);
        return text;
      } catch (error) {
        const reply = refusalOf(client, error);
        end(reply.responseCode);
        throw reply;
      }
    },
  };
}
