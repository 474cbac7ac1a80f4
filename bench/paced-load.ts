import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/**
 * Messages at a steady rate, in a separate process: an open loop, so that a slow server falls
 * behind instead of getting less load. It writes to sockets directly, to use little of the measured cores.
 */
export interface PacedOrder {
  port: number;
  connections: number;
  per_second: number;
  /** Without it, until a second message from the parent says to stop. */
  messages?: number;
  /** Whole API key and template, used in turn. */
  senders: { key: string; template_id: string }[];
  /** By default text messages. */
  channel?: 'sms' | 'email' | 'letter';
  /** Each message has a reference of the service, which is an entry at a random place of an index. */
  references?: boolean;
}

export interface PacedReport {
  seconds: number;
  accepted: number;
  /** From request to response. */
  latencies_ms: number[];
  /** When each of these requests was sent, in milliseconds since 1970. */
  sent_at_ms: number[];
  /** Max wait of a message for a free connection. */
  behind_ms: number;
  errors: Record<string, number>;
  /** Processor time of the load generator. */
  cpu_ms: number;
}

process.once('message', (order: PacedOrder) => {
  void load(order).then((report) => process.send?.(report, () => process.disconnect()));
});

function load(order: PacedOrder): Promise<PacedReport> {
  const report: PacedReport = {
    seconds: 0,
    accepted: 0,
    latencies_ms: [],
    sent_at_ms: [],
    behind_ms: 0,
    errors: {},
    cpu_ms: 0,
  };
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const sockets = new Set<Socket>();
    /** Used in turn, because a server closes idle connections. */
    const idle = new Set<Socket>();
    const asked = new Map<Socket, number>();
    let sent = 0;
    let answered = 0;
    let last = order.messages ?? Number.POSITIVE_INFINITY;
    process.once('message', () => {
      last = sent;
      if (answered === last) finish();
    });

    function onAnswer(socket: Socket, status: string): void {
      answered += 1;
      const sent_at = asked.get(socket) ?? 0;
      report.latencies_ms.push(performance.now() - sent_at);
      report.sent_at_ms.push(performance.timeOrigin + sent_at);
      if (status === '201') report.accepted += 1;
      else report.errors[status] = (report.errors[status] ?? 0) + 1;
      idle.add(socket);
      pump();
      if (answered === last) finish();
    }

    function freeSocket(): Socket | undefined {
      const [socket] = idle;
      if (socket) {
        idle.delete(socket);
        return socket;
      }
      if (sockets.size === order.connections) return undefined;
      const opened = open(order.port, onAnswer);
      sockets.add(opened);
      opened.once('close', () => {
        sockets.delete(opened);
        if (!idle.delete(opened)) reject(new Error('The product closed a connection without an answer'));
      });
      return opened;
    }

    function pump(): void {
      const elapsed = performance.now() - started;
      const due = Math.min(last, Math.floor((elapsed * order.per_second) / 1_000));
      while (sent < due) {
        const socket = freeSocket();
        if (!socket) {
          report.behind_ms = Math.max(report.behind_ms, elapsed - (sent * 1_000) / order.per_second);
          return;
        }
        asked.set(socket, performance.now());
        ask(socket, order, sent);
        sent += 1;
      }
    }

    const ticking = setInterval(pump, 5);
    function finish(): void {
      clearInterval(ticking);
      report.seconds = (performance.now() - started) / 1_000;
      const { user, system } = process.cpuUsage();
      report.cpu_ms = (user + system) / 1_000;
      for (const socket of sockets) socket.removeAllListeners('close').destroy();
      resolve(report);
    }
  });
}

function open(port: number, onAnswer: (socket: Socket, status: string) => void): Socket {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
    const end = received.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
    if (end < 0 || received.length < end + 4 + length) return;
    const status = received.slice(9, 12);
    received = '';
    onAnswer(socket, status);
  });
  return socket;
}

const recipients: Record<
  NonNullable<PacedOrder['channel']>,
  (number: number) => { personalisation?: object } & Record<string, unknown>
> = {
  sms: (number) => ({ phone_number: `079${String(10_000_000 + (number % 80_000_000)).padStart(8, '0')}` }),
  email: (number) => ({ email_address: `person-${number}@example.org` }),
  letter: (number) => ({
    personalisation: {
      address_line_1: `Person ${number}`,
      address_line_2: `${number} Post Office Lane`,
      postcode: 'LL61 5UJ',
    },
  }),
};

function ask(socket: Socket, { senders, channel = 'sms', references }: PacedOrder, number: number): void {
  const sender = senders[number % senders.length];
  const { personalisation, ...recipient } = recipients[channel](number);
  const body = JSON.stringify({
    ...recipient,
    template_id: sender?.template_id,
    personalisation: { name: `Person ${number}`, day: 'Monday', ...personalisation },
    ...(references ? { reference: randomUUID() } : {}),
  });
  socket.write(
    `POST /v2/notifications/${channel} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${sender?.key}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
