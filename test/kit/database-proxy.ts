import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A database proxy that can fail like poolers and networks. */
export class DatabaseProxy {
  /** A pooler in transaction mode: LISTEN succeeds, and no notification arrives. */
  dropNotices = false;
  /** A network that drops packets: every connection stays open, and nothing passes. */
  silent = false;
  private refusing = false;
  private readonly target: URL;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

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

  /** The URL of the database through it. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `postgresql://${this.target.username}@127.0.0.1:${port}${this.target.pathname}?sslmode=disable`;
  }

  /** A server that is down: connections break, and new ones are refused. */
  refuse(): void {
    this.refusing = true;
    for (const socket of this.sockets) socket.destroy();
  }

  accept(): void {
    this.refusing = false;
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
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    client.on('data', (bytes) => this.silent || server.write(bytes));
    let rest = Buffer.alloc(0);
    server.on('data', (bytes) => {
      const { whole, part } = messagesIn(Buffer.concat([rest, bytes]));
      rest = part;
      const passing = whole.filter((message) => !this.dropNotices || message[0] !== notificationResponse);
      if (!this.silent) client.write(Buffer.concat(passing));
    });
  }
}

const notificationResponse = 'A'.charCodeAt(0);

/** Each begins with a letter and the length of the rest. */
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
