import { commands, statuses, statusName } from './commands.ts';
import { type Address, Connection, type Reply, type Timing } from './connection.ts';
import type { Frame } from './frames.ts';
import { type BindFields, encodeBind } from './messages.ts';

export type BindType = 'transceiver' | 'transmitter' | 'receiver';

/** What to do about a failed bind, as the end of a sentence. */
interface BindAdvice {
  unreachable: string;
  /** Advice by the status with which a server refused. */
  refused: ReadonlyMap<number, string>;
}

export interface BindOptions {
  address: Address;
  timing: Timing;
  credentials: BindFields;
  type: BindType;
  /** The type to bind as if the message centre refuses `type`: some accept only transceivers. */
  fallbackType?: BindType;
  /** Max requests waiting for a response. */
  window: number;
  advice: BindAdvice;
  onRequest(frame: Frame): Promise<number>;
}

const bindCommands = {
  transceiver: commands.bind_transceiver,
  transmitter: commands.bind_transmitter,
  receiver: commands.bind_receiver,
} as const;

class BindRefused extends Error {
  readonly status: number;

  constructor(status: number, type: BindType, advice: BindAdvice) {
    const whatToDo = advice.refused.get(status) ?? `check what the account may do: bind_${type} was refused`;
    super(`${statusName(status)}: ${whatToDo}`);
    this.status = status;
  }
}

/** Wrong for every type of bind. Retrying with them may lock the account. */
const wrongCredentials = new Set<number>([statuses.invalidPassword, statuses.invalidSystemId]);

/** Throws, with advice, if the message centre cannot be reached or refuses the bind. */
export async function openBound(
  options: Omit<BindOptions, 'window'>,
  onClose: (reason: string) => void,
): Promise<Connection> {
  try {
    return await openAs(options.type, options, onClose);
  } catch (error) {
    const { fallbackType } = options;
    if (!fallbackType || !(error instanceof BindRefused) || wrongCredentials.has(error.status)) throw error;
    return openAs(fallbackType, options, onClose);
  }
}

async function openAs(
  type: BindType,
  { address, timing, credentials, advice, onRequest }: Omit<BindOptions, 'window'>,
  onClose: (reason: string) => void,
): Promise<Connection> {
  const { host, port } = address;
  let connection: Connection;
  try {
    connection = await Connection.open(address, timing, { onRequest, onClose });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${host}:${port} cannot be reached (${code ?? message}): ${advice.unreachable}`);
  }
  const reply = await connection.request(bindCommands[type], encodeBind(credentials));
  if (reply.kind === 'answered' && reply.status === statuses.ok) return connection;
  connection.abort();
  if (reply.kind === 'unanswered') throw new Error(`no response to bind_${type}: ${reply.reason}`);
  throw new BindRefused(reply.status, type, advice);
}

const firstPause_ms = 1_000;
const maxPause_ms = 30_000;

/** One bind. Reopens it with backoff whenever it ends. */
export class Bind {
  private readonly options: BindOptions;
  private readonly onChange: () => void;
  private readonly onFailure: (reason: string) => void;
  private connection: Connection | undefined;
  /** The number of requests without a response. */
  private inFlight = 0;
  /** Max requests without a response. Below the window after the message centre has throttled us. */
  private allowed: number;
  private throttledUntil = 0;
  private throttle_ms = firstPause_ms;
  private failures = 0;
  private boundAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** Why the latest attempt to bind failed; undefined while bound or about to bind. */
  problem: string | undefined;

  constructor(options: BindOptions, onChange: () => void, onFailure: (reason: string) => void) {
    this.options = options;
    this.onChange = onChange;
    this.onFailure = onFailure;
    this.allowed = options.window;
  }

  start(): void {
    void this.open();
  }

  /** Returns how many requests can be made now. */
  room(now = performance.now()): number {
    if (!this.connection || now < this.throttledUntil) return 0;
    return Math.max(0, this.allowed - this.inFlight);
  }

  async request(command: number, body: Buffer): Promise<Reply> {
    if (!this.connection) throw new Error('a bind without a connection has no room');
    this.inFlight += 1;
    try {
      const reply = await this.connection.request(command, body);
      if (reply.kind === 'answered') this.pace(reply.status);
      return reply;
    } finally {
      this.inFlight -= 1;
      this.onChange();
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.connection?.close();
  }

  private async open(): Promise<void> {
    try {
      const connection = await openBound(this.options, (reason) => this.lost(reason));
      if (this.stopped) return connection.abort();
      if (connection.isClosed()) throw new Error('the message centre closed the connection after the bind');
      this.connection = connection;
      this.boundAt = performance.now();
      this.failures = 0;
      this.problem = undefined;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.onFailure(this.problem);
      this.openLater();
    }
    this.onChange();
  }

  private lost(reason: string): void {
    // While it is being opened, the attempt to open reports the failure.
    if (!this.connection) return;
    this.connection = undefined;
    if (this.stopped) return;
    this.onFailure(reason);
    this.openLater();
    this.onChange();
  }

  /** Adds jitter, so that many processes do not reconnect at the same time. */
  private openLater(): void {
    if (this.stopped) return;
    const pause_ms = this.pause_ms();
    if (this.problem !== undefined) this.failures += 1;
    this.timer = setTimeout(() => void this.open(), pause_ms * (0.5 + Math.random() / 2));
  }

  /** No delay after a working bind ended, unless it ended immediately. */
  private pause_ms(): number {
    if (this.problem !== undefined) return Math.min(maxPause_ms, firstPause_ms * 2 ** this.failures);
    return performance.now() - this.boundAt < firstPause_ms ? firstPause_ms : 0;
  }

  /** When the message centre throttles, halves the concurrent requests and pauses; afterwards they grow again. */
  private pace(status: number): void {
    if (status === statuses.throttled || status === statuses.queueFull) {
      const now = performance.now();
      if (now < this.throttledUntil) return;
      this.allowed = Math.max(1, Math.floor(this.allowed / 2));
      this.throttledUntil = now + this.throttle_ms;
      setTimeout(() => this.onChange(), this.throttle_ms + 1).unref();
      this.throttle_ms = Math.min(maxPause_ms, this.throttle_ms * 2);
    } else if (status === statuses.ok) {
      this.allowed = Math.min(this.options.window, this.allowed + 1);
      this.throttle_ms = firstPause_ms;
    }
  }
}
