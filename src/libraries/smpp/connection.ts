import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { commands, responseBit, statuses } from './commands.ts';
import { encodeFrame, type Frame, FrameReader, FramingError } from './frames.ts';

export interface Address {
  host: string;
  port: number;
  tls: boolean;
  /** PEM certificates to trust instead of Node's default. */
  ca: string | undefined;
}

export interface Timing {
  /** After this silence, an enquire_link checks whether the peer is still there. */
  enquireAfter_ms: number;
  /** Also the timeout for connecting. */
  responseTimeout_ms: number;
}

export type Reply =
  | { kind: 'answered'; status: number; body: Buffer }
  /** The request was written, and the peer may have it. */
  | { kind: 'unanswered'; reason: string };

interface Handlers {
  /** Handles a request of the peer that is not part of the protocol itself. Returns the status of the response. */
  onRequest(frame: Frame): Promise<number>;
  onClose(reason: string): void;
}

interface Pending {
  resolve(reply: Reply): void;
  timer: NodeJS.Timeout;
}

const noBody = Buffer.alloc(0);
/** The body of a deliver_sm_resp: an empty message_id. */
const noMessageId = Buffer.from([0]);
/** Time to write the last frame before the socket is destroyed: a disconnected peer never reads it. */
const destroyDelay_ms = 1_000;
const maxSequence = 0x7fff_ffff;
/** Max peer requests handled at the same time. Further ones are refused, so that the peer retries them later. */
const maxHandled = 500;

/** One TCP connection that speaks SMPP: requests and responses, enquire_link, unbind, generic_nack. */
export class Connection {
  private readonly socket: Socket;
  private readonly timing: Timing;
  private readonly handlers: Handlers;
  private readonly frames = new FrameReader();
  private readonly pending = new Map<number, Pending>();
  private readonly handled = new Set<Promise<void>>();
  private readonly idleTimer: NodeJS.Timeout;
  private sequence = 0;
  private enquiring = false;
  private closed = false;

  static open(address: Address, timing: Timing, handlers: Handlers): Promise<Connection> {
    const { host, port, tls, ca } = address;
    return new Promise((resolve, reject) => {
      const socket = tls
        ? connectSecurely({ host, port, ca, servername: isIP(host) ? '' : host })
        : connect({ host, port });
      const timer = setTimeout(() => fail(new Error('no connection in time')), timing.responseTimeout_ms);
      const fail = (error: Error) => {
        clearTimeout(timer);
        socket.destroy();
        reject(error);
      };
      socket.once('error', fail).once(tls ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        socket.off('error', fail);
        resolve(new Connection(socket, timing, handlers));
      });
    });
  }

  private constructor(socket: Socket, timing: Timing, handlers: Handlers) {
    this.socket = socket;
    this.timing = timing;
    this.handlers = handlers;
    this.idleTimer = setTimeout(() => this.enquire(), timing.enquireAfter_ms);
    socket.setNoDelay(true);
    socket
      .on('data', (chunk) => this.read(chunk))
      .on('error', (error: NodeJS.ErrnoException) => this.end(error.code ?? error.message))
      .on('close', () => this.end('the connection was closed'));
  }

  request(command: number, body: Buffer = noBody): Promise<Reply> {
    if (this.closed) return Promise.resolve({ kind: 'unanswered', reason: 'the connection was closed' });
    this.sequence = (this.sequence % maxSequence) + 1;
    const { sequence } = this;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.pending.delete(sequence);
        resolve({ kind: 'unanswered', reason: 'no response in time' });
        // Finds out whether one response was slow or the peer has disappeared.
        if (command !== commands.enquire_link) void this.enquire();
      }, this.timing.responseTimeout_ms);
      this.pending.set(sequence, { resolve, timer });
      this.write({ command, status: statuses.ok, sequence, body });
    });
  }

  /** Waits for the requests in progress, then unbinds. */
  async close(): Promise<void> {
    await Promise.all(this.handled);
    if (!this.closed) await this.request(commands.unbind);
    this.end('unbound');
  }

  abort(): void {
    this.end('aborted');
  }

  isClosed(): boolean {
    return this.closed;
  }

  private read(chunk: Buffer): void {
    this.idleTimer.refresh();
    try {
      for (const frame of this.frames.read(chunk)) if (!this.closed) this.take(frame);
    } catch (error) {
      if (!(error instanceof FramingError)) throw error;
      this.write({ command: commands.generic_nack, status: statuses.invalidCommandLength, sequence: 0, body: noBody });
      this.end(error.message);
    }
  }

  private take(frame: Frame): void {
    const { command, sequence } = frame;
    if (command >= responseBit) this.answer(frame);
    else if (command === commands.enquire_link) this.respond(frame, statuses.ok);
    else if (command === commands.unbind) {
      this.respond(frame, statuses.ok);
      this.end('the peer unbound');
    } else if (command === commands.deliver_sm) this.handle(frame);
    else if (command !== commands.alert_notification && command !== commands.outbind) {
      this.write({ command: commands.generic_nack, status: statuses.invalidCommandId, sequence, body: noBody });
    }
  }

  /** Ignores a response to a request that timed out or was never made. */
  private answer({ sequence, status, body }: Frame): void {
    const pending = this.pending.get(sequence);
    if (!pending) return;
    this.pending.delete(sequence);
    clearTimeout(pending.timer);
    pending.resolve({ kind: 'answered', status, body });
  }

  private handle(frame: Frame): void {
    if (this.handled.size >= maxHandled) {
      this.respond(frame, statuses.temporaryError, noMessageId);
      return;
    }
    const handling = this.handlers.onRequest(frame).then((status) => {
      this.handled.delete(handling);
      this.respond(frame, status, noMessageId);
    });
    this.handled.add(handling);
  }

  private respond({ command, sequence }: Frame, status: number, body = noBody): void {
    this.write({ command: command + responseBit, status, sequence, body });
  }

  private write(frame: Frame): void {
    if (!this.closed) this.socket.write(encodeFrame(frame));
  }

  private async enquire(): Promise<void> {
    if (this.closed || this.enquiring) return;
    this.enquiring = true;
    const reply = await this.request(commands.enquire_link);
    this.enquiring = false;
    if (reply.kind === 'unanswered') this.end('no response to enquire_link');
    else this.idleTimer.refresh();
  }

  private end(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.idleTimer);
    this.socket.end();
    setTimeout(() => this.socket.destroy(), destroyDelay_ms).unref();
    for (const { resolve, timer } of this.pending.values()) {
      clearTimeout(timer);
      resolve({ kind: 'unanswered', reason });
    }
    this.pending.clear();
    this.handlers.onClose(reason);
  }
}
