import { Bind, type BindOptions, type BindType } from './bind.ts';
import { commands } from './commands.ts';
import type { Reply } from './connection.ts';

/** How long a message waits for capacity, or for the first bind. */
const maxWait_ms = 10_000;

type Submitted = Reply | { kind: 'not sent'; reason: string };

interface Waiting {
  body: Buffer;
  resolve(submitted: Submitted | Promise<Submitted>): void;
  timer: NodeJS.Timeout;
}

/** All binds of one process. A message goes to the bind with the most free capacity. */
export class Binds {
  private readonly all: { type: BindType; bind: Bind }[];
  private readonly waiting = new Set<Waiting>();
  private started = false;

  /** `onFailure` is called for every bind that ends or cannot be opened. The bind is reopened in any case. */
  constructor(
    options: Omit<BindOptions, 'type'>,
    types: BindType[],
    onFailure: (type: BindType, reason: string) => void,
  ) {
    this.all = types.map((type) => {
      const failed = (reason: string) => onFailure(type, reason);
      return { type, bind: new Bind({ ...options, type }, () => this.serve(), failed) };
    });
  }

  start(): void {
    if (this.started) return;
    this.started = true;
    for (const { bind } of this.all) bind.start();
  }

  /** Waits for capacity, unless the latest attempt of every bind failed. */
  submit(body: Buffer): Promise<Submitted> {
    this.start();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.refuse(waiting, 'no room in the window'), maxWait_ms);
      const waiting = { body, resolve, timer };
      this.waiting.add(waiting);
      this.serve();
    });
  }

  async close(): Promise<void> {
    for (const waiting of this.waiting) this.refuse(waiting, 'the process is stopping');
    await Promise.all(this.all.map(({ bind }) => bind.stop()));
  }

  private get senders(): Bind[] {
    return this.all.filter(({ type }) => type !== 'receiver').map(({ bind }) => bind);
  }

  private leastBusy(): Bind | undefined {
    const [best] = this.senders.filter((bind) => bind.room() > 0).sort((one, other) => other.room() - one.room());
    return best;
  }

  /** Returns a reason if no bind works and the latest attempt of each failed. */
  private problem(): string | undefined {
    const problems = this.senders.map(({ problem }) => problem);
    return problems.every((problem) => problem !== undefined) ? problems[0] : undefined;
  }

  /** Called when the capacity or the state of a bind changes. */
  private serve(): void {
    const problem = this.problem();
    for (const waiting of this.waiting) {
      const bind = this.leastBusy();
      if (bind) this.settle(waiting, bind.request(commands.submit_sm, waiting.body));
      else if (problem !== undefined) this.refuse(waiting, problem);
      else return;
    }
  }

  private refuse(waiting: Waiting, reason: string): void {
    this.settle(waiting, { kind: 'not sent', reason });
  }

  private settle(waiting: Waiting, submitted: Submitted | Promise<Submitted>): void {
    this.waiting.delete(waiting);
    clearTimeout(waiting.timer);
    waiting.resolve(submitted);
  }
}
