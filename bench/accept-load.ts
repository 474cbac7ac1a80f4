import { createHmac, randomInt, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { Sender } from './sender.ts';

/**
 * The load of the accept benchmark, in a separate process: a number of connections, each sending its next message after
 * the response to the last. It uses sockets directly, so that the generator takes as little as possible of the
 * cores it shares with the product. It gets an order from its parent process, and sends back a report.
 */
export interface LoadOrder {
  port: number;
  connections: number;
  seconds: number;
  /** Continues until so many requests are answered. */
  atLeast?: number;
  /** Used in turn, from any of them on: short loads with many senders do not always use the same ones. */
  senders: Pick<Sender, 'service_id' | 'secret' | 'template_id'>[];
  channel: 'sms' | 'email';
}

export interface LoadReport {
  seconds: number;
  /** Processor time of the load generator. */
  cpu_ms: number;
  latencies_ms: number[];
  ids: string[];
  /** By status or error. */
  errors: Record<string, number>;
}

process.once('message', (order: LoadOrder) => {
  void load(order).then((report) => process.send?.(report, () => process.disconnect()));
});

async function load(order: LoadOrder): Promise<LoadReport> {
  const report: LoadReport = { seconds: 0, cpu_ms: 0, latencies_ms: [], ids: [], errors: {} };
  sent = randomInt(order.senders.length);
  const started = performance.now();
  const until = started + order.seconds * 1000;
  await Promise.all(Array.from({ length: order.connections }, (_, n) => client(order, n, until, report)));
  report.seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage();
  report.cpu_ms = (user + system) / 1000;
  return report;
}

let sent = 0;

function client(order: LoadOrder, n: number, until: number, report: LoadReport): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(order.port, '127.0.0.1');
    socket.setNoDelay(true);
    let asked = 0;
    let received = '';
    const next = () => {
      asked = performance.now();
      if (asked >= until && report.latencies_ms.length >= (order.atLeast ?? 0)) socket.end();
      else ask(socket, order, n % 2 === 0);
    };
    socket.on('connect', next);
    socket.on('data', (data) => {
      received += data.toString('latin1');
      const response = whole(received);
      if (!response) return;
      received = '';
      report.latencies_ms.push(performance.now() - asked);
      if (response.status === '201') report.ids.push(response.body.slice(7, 43));
      else report.errors[response.status] = (report.errors[response.status] ?? 0) + 1;
      next();
    });
    socket.on('error', ({ message }) => {
      report.errors[message] = (report.errors[message] ?? 0) + 1;
    });
    socket.on('close', () => resolve());
  });
}

function ask(socket: Socket, { senders, channel }: LoadOrder, byToken: boolean): void {
  sent += 1;
  const sender = senders[sent % senders.length];
  if (!sender) return;
  const { service_id, secret, template_id } = sender;
  const authorization = byToken ? token(sender) : `load-${service_id}-${secret}`;
  const recipient =
    channel === 'sms'
      ? { phone_number: `079${String(10_000_000 + (sent % 80_000_000)).padStart(8, '0')}` }
      : { email_address: `person-${sent}@example.org` };
  const body = JSON.stringify({
    ...recipient,
    template_id,
    personalisation: { name: `Person ${sent}`, day: 'Monday', reference: randomUUID() },
    reference: `order-${sent}`,
  });
  socket.write(
    `POST /v2/notifications/${channel} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${authorization}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const tokens = new Map<string, { iat: number; token: string }>();

/** As the official clients send it: one for every request, but those of a second are the same. */
function token({ service_id, secret }: LoadOrder['senders'][number]): string {
  const iat = Math.floor(Date.now() / 1000);
  const last = tokens.get(service_id);
  if (last?.iat === iat) return last.token;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ typ: 'JWT', alg: 'HS256' })}.${part({ iss: service_id, iat })}`;
  const token = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  tokens.set(service_id, { iat, token });
  return token;
}

/** Undefined until the whole response has arrived. */
function whole(text: string): { status: string; body: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  const body = text.slice(end + 4);
  return body.length < Number(length ?? 0) ? undefined : { status: text.slice(9, 12), body };
}
