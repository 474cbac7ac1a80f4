import type { Log } from './log.ts';

/** How long to rest: until woken or until `atMost_ms` are up, but in any case `atLeast_ms`. */
export interface Rest {
  atLeast_ms: number;
  atMost_ms: number;
}

interface LoopOptions {
  name: string;
  /** Says for how many milliseconds to rest before the next step, unless the loop is woken; 0: there is more to do. */
  step(): Promise<number | Rest>;
  log: Log;
}

/** Work that goes on as long as the process: one step after another, at rest in between until woken or until time is up. */
export class Loop {
  private readonly options: LoopOptions;
  private ending: Promise<void> | undefined;
  private stopping = false;
  private woken = false;
  private rouse: (() => void) | undefined;

  constructor(options: LoopOptions) {
    this.options = options;
  }

  start(): void {
    this.ending ??= this.run();
  }

  wake(): void {
    this.woken = true;
    this.rouse?.();
  }

  /** Resolves when the step that is running has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.ending;
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopping) {
      this.woken = false;
      try {
        const rest = await this.options.step();
        failures = 0;
        if (typeof rest === 'number') await this.rest(rest);
        else await this.restAtLeast(rest);
      } catch (error) {
        failures += 1;
        // An outage says so once, not ten times a second.
        if (failures === 1) {
          this.options.log.error({ err: error, loop: this.options.name }, 'a step failed; it is tried again');
        }
        this.woken = false;
        await this.rest(Math.min(100 * 2 ** failures, 2_000));
      }
    }
  }

  private async restAtLeast({ atLeast_ms, atMost_ms }: Rest): Promise<void> {
    if (atLeast_ms > 0 && !this.stopping) await new Promise((resolve) => setTimeout(resolve, atLeast_ms));
    await this.rest(atMost_ms - atLeast_ms);
  }

  private async rest(ms: number): Promise<void> {
    if (this.woken || this.stopping || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.rouse = undefined;
  }
}
