import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process of the product that is started again whenever it dies, as a service manager would. */
export class Supervised {
  readonly role: 'api' | 'worker';
  readonly port: number;
  kills = 0;
  private readonly env: Record<string, string>;
  private child: ChildProcess | undefined;
  private stopping = false;

  constructor(role: 'api' | 'worker', port: number, env: Record<string, string>) {
    this.role = role;
    this.port = port;
    this.env = env;
  }

  start(): void {
    const env = { PATH: process.env.PATH ?? '', ...this.env, PORT: String(this.port) };
    this.child = spawn(process.execPath, ['dist/main.js', this.role], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    this.child.once('exit', async () => {
      await sleep(200);
      if (!this.stopping) this.start();
    });
  }

  /** No goodbye: as when the machine loses power. */
  kill(): void {
    this.kills += 1;
    this.child?.kill('SIGKILL');
  }

  async untilReady(): Promise<void> {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
      await sleep(100);
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const { child } = this;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
}
