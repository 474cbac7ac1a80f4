import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A database proxy that can fail like poolers and networks. */
export class DatabaseProxy {
  /** A pooler in transaction mode: LISTEN succeeds, and no notification arrives. */
  dropNotices = false;
  /** A network that drops packets: every connection stays open, and nothing passes. */
  silent = false;
  /** A standby: new connections accept no writes. */
  readOnly = false;
  /** A server that is shutting down: it accepts a login, and breaks the connection in the same packet. */
  breaksAfterLogin = false;
  private refusing = false;
  private readonly target: URL;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly clients = new Set<Socket>();

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(databaseUrl);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  private constructor(databaseUrl: string) {
    this.target = new URL(databaseUrl.replace('@/', '@socket/'));
    this.server = createServer((client) => this.pass(client));
  }

  /** The URL of the database through the proxy. */
  get url(): string {
    return `postgresql://${this.target.username}@127.0.0.1:${this.port}${this.target.pathname}?sslmode=disable`;
  }

  /** A server that is down: connections break, and new ones are refused. */
  refuse(): void {
    this.refusing = true;
    for (const socket of this.sockets) socket.destroy();
  }

  accept(): void {
    this.refusing = false;
  }

  /** Sends the message to every client, as if it came from the server. */
  say(message: Buffer): void {
    for (const socket of this.clients) socket.write(message);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many connections are open. */
  get open(): number {
    return this.clients.size;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(client: Socket): void {
    if (this.refusing) {
      client.destroy();
      return;
    }
    const { searchParams } = this.target;
    const server = connect(`${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port')}`);
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    }
    this.clients.add(client);
    client.on('close', () => {
      this.clients.delete(client);
      server.destroy();
    });
    server.on('close', () => client.destroy());
    let isStarting = true;
    client.on('data', (bytes) => {
      if (this.silent) return;
      server.write(isStarting && this.readOnly ? withReadOnly(bytes) : bytes);
      isStarting = false;
    });
    let rest = Buffer.alloc(0);
    server.on('data', (bytes) => {
      const { whole, part } = messagesIn(Buffer.concat([rest, bytes]));
      rest = part;
      const passing = whole.filter((message) => !this.dropNotices || message[0] !== notificationResponse);
      if (this.breaksAfterLogin && whole.some(([type]) => type === readyForQuery)) passing.push(terminated);
      if (!this.silent) client.write(Buffer.concat(passing));
    });
  }
}

/** The first message of a connection, with one more setting: length, version, settings, a zero. */
function withReadOnly(startup: Buffer): Buffer {
  const setting = Buffer.from('default_transaction_read_only\0on\0\0');
  const changed = Buffer.concat([startup.subarray(0, -1), setting]);
  changed.writeInt32BE(changed.length, 0);
  return changed;
}

const notificationResponse = 'A'.charCodeAt(0);
const readyForQuery = 'Z'.charCodeAt(0);
const terminated = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');

/** A message of the protocol: a letter, the length of the rest, and the content. */
export function message(type: string, content: string): Buffer {
  const head = Buffer.from(`${type}....`);
  head.writeInt32BE(4 + content.length, 1);
  return Buffer.concat([head, Buffer.from(content)]);
}

function messagesIn(bytes: Buffer): { whole: Buffer[]; part: Buffer<ArrayBuffer> } {
  const whole: Buffer[] = [];
  let at = 0;
  while (bytes.length >= at + 5) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) break;
    whole.push(bytes.subarray(at, end));
    at = end;
  }
  return { whole, part: Buffer.from(bytes.subarray(at)) };
}
