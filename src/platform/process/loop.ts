import type { Log } from '../log.ts';

/** How long to sleep: until woken or for `atMost_ms`, but at least `atLeast_ms`. */
export interface Sleep {
  atLeast_ms: number;
  atMost_ms: number;
}

interface LoopOptions {
  name: string;
  /** Returns how many milliseconds to sleep before the next step, unless woken; 0 to continue at once. */
  step(): Promise<number | Sleep>;
  log: Log;
}

/** Background work for the lifetime of the process. Runs one step after another and sleeps in between. */
export class Loop {
  private readonly options: LoopOptions;
  private ending: Promise<void> | undefined;
  private stopping = false;
  private woken = false;
  private endSleep: (() => void) | undefined;

  constructor(options: LoopOptions) {
    this.options = options;
  }

  start(): void {
    this.ending ??= this.run();
  }

  wake(): void {
    this.woken = true;
    this.endSleep?.();
  }

  /** Resolves when the current step has finished. */
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
        const sleep = await this.options.step();
        failures = 0;
        if (typeof sleep === 'number') await this.sleep(sleep);
        else await this.sleepAtLeast(sleep);
      } catch (error) {
        failures += 1;
        // Log an outage once, not ten times a second.
        if (failures === 1) {
          this.options.log.error(
            { event: 'loop.failed', err: error, loop: this.options.name },
            'A step failed; retrying',
          );
        }
        this.woken = false;
        await this.sleep(Math.min(100 * 2 ** failures, 2_000));
      }
    }
  }

  private async sleepAtLeast({ atLeast_ms, atMost_ms }: Sleep): Promise<void> {
    if (atLeast_ms > 0 && !this.stopping) await new Promise((resolve) => setTimeout(resolve, atLeast_ms));
    await this.sleep(atMost_ms - atLeast_ms);
  }

  private async sleep(ms: number): Promise<void> {
    if (this.woken || this.stopping || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endSleep = undefined;
  }
}
