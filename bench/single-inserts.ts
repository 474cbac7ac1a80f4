import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { newId } from '../src/platform/id.ts';

/**
 * The rate of the database with one durable row per commit, as pgbench measures it: a number of clients, each with its own
 * connection and prepared statement. It implements the wire protocol itself, because the work of a driver on the same
 * cores would make the database look slower than it is. In a separate process, like the load it is compared with.
 */
export interface InsertOrder {
  /** `messages`: the row that accepting a text message stores, into a table like that of the notifications. */
  rows: 'bare' | 'messages';
  /** Folder of the server's socket, or its host. */
  host: string;
  port: number;
  user: string;
  database: string;
  clients: number;
  seconds: number;
}

export interface InsertReport {
  inserts: number;
  seconds: number;
}

process.once('message', (order: InsertOrder) => {
  void insert(order).then((report) => process.send?.(report, () => process.disconnect()));
});

async function insert(order: InsertOrder): Promise<InsertReport> {
  const report = { inserts: 0, seconds: 0 };
  const clients = Array.from({ length: order.clients }, () => new Client(order));
  // Not measured: starting a server process for each client takes longer than a thousand inserts.
  await Promise.all(clients.map((client) => client.prepare()));
  const started = performance.now();
  const until = started + order.seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        await client.insert();
        report.inserts += 1;
      }
    }),
  );
  report.seconds = (performance.now() - started) / 1000;
  for (const client of clients) client.end();
  return report;
}

const kinds = {
  bare: {
    table: 'create table bare (id uuid primary key, payload text)',
    insert: 'insert into bare values ($1::uuid, $2::text)',
    values: () => [randomUUID(), 'x'.repeat(300)],
  },
  messages: {
    table: 'create table messages (like notifications including all)',
    insert: `insert into messages (id, service_id, template_id, template_version, notification_type, key_type, api_key_id,
      status, client_reference, recipient, normalised_recipient, personalisation, reply_to_text, international,
      rate_multiplier, created_at)
    values ($1::uuid, $2::uuid, $3::uuid, 1, 'sms', 'normal', $4::uuid, 'created', $5, $6, $7, $8::jsonb, $9, false, 1,
      $10::timestamptz)`,
    values: () => {
      const now = new Date();
      const number = `79${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
      const personalisation = { name: `Person ${number}`, day: 'Monday', reference: randomUUID() };
      return [
        ...[newId(now), service, template, key, `order-${number}`, `0${number}`, `44${number}`],
        ...[JSON.stringify(personalisation), 'Benchmark', now.toISOString()],
      ];
    },
  },
};

export const tableFor = (rows: InsertOrder['rows']) => kinds[rows].table;

const [service, template, key] = [randomUUID(), randomUUID(), randomUUID()];

class Client {
  private readonly order: InsertOrder;
  private readonly socket: Socket;
  private answered: (() => void) | undefined;
  private failed: ((error: Error) => void) | undefined;

  constructor(order: InsertOrder) {
    this.order = order;
    const path = order.host.startsWith('/') ? `${order.host}/.s.PGSQL.${order.port}` : undefined;
    this.socket = path ? connect(path) : connect(order.port, order.host);
    this.socket.on('error', (error) => this.failed?.(error));
    this.socket.on('data', (data) => {
      // A ready-for-query message ends every response; an error stops the benchmark.
      if (data[0] === 0x45) this.failed?.(new Error(data.toString('latin1')));
      else if (data.at(-6) === 0x5a) this.answered?.();
    });
  }

  async prepare(): Promise<void> {
    const { user, database, rows } = this.order;
    await this.ask(startup({ user, database }));
    await this.ask(Buffer.concat([parse(kinds[rows].insert), sync]));
  }

  insert(): Promise<void> {
    return this.ask(Buffer.concat([bind(kinds[this.order.rows].values()), execute, sync]));
  }

  end(): void {
    this.socket.end(message('X', Buffer.alloc(0)));
  }

  private ask(message: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.answered = resolve;
      this.failed = reject;
      this.socket.write(message);
    });
  }
}

function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function startup(settings: Record<string, string>): Buffer {
  const text = Buffer.from(`${Object.entries(settings).flat().join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(text.length + 8, 0);
  head.writeUInt32BE(196_608, 4);
  return Buffer.concat([head, text]);
}

function parse(statement: string): Buffer {
  return message('P', Buffer.from(`insert\0${statement}\0\0\0`));
}

function bind(values: string[]): Buffer {
  const parts: Buffer[] = [Buffer.from('\0insert\0\0\0', 'latin1'), int16(values.length)];
  for (const value of values) {
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return message('B', Buffer.concat([...parts, int16(0)]));
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

const execute = message('E', Buffer.from('\0\0\0\0\0', 'latin1'));
const sync = message('S', Buffer.alloc(0));
