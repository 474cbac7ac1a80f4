import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processEnvironment } from '../../kit/process/process-environment.ts';

export type Role = 'api' | 'worker' | 'serve';

/** A process of the product that is restarted whenever it ends, as by a service manager. */
export class Supervised {
  readonly role: Role;
  readonly port: number;
  /** The outcome of each requested stop. */
  readonly exitCodes: (number | null)[] = [];
  private readonly env: Record<string, string>;
  private child: ChildProcess | undefined;
  private stopping = false;

  constructor(role: Role, port: number, env: Record<string, string>) {
    this.role = role;
    this.port = port;
    this.env = env;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  start(): void {
    const env = { ...processEnvironment, ...this.env, PORT: String(this.port) };
    this.child = spawn(process.execPath, ['dist/main.js', this.role], {
      env,
      stdio: ['ignore', process.env.FAULT_LOG_LEVEL ? 'inherit' : 'ignore', 'inherit'],
    });
    this.child.once('exit', async () => {
      await sleep(200);
      if (!this.stopping) this.start();
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Without a graceful shutdown, as in a power loss. */
  kill(): void {
    this.signal('SIGKILL');
  }

  /** As a deployment does: stops gracefully, then starts again. */
  async restart(): Promise<void> {
    await this.end();
    await sleep(300);
    await this.untilReady();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.end();
  }

  async isReady(): Promise<boolean> {
    const response = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await response?.body?.cancel();
    return response?.ok ?? false;
  }

  async untilReady(): Promise<void> {
    while (!(await this.isReady())) await sleep(100);
  }

  /** Resident memory, in megabytes. */
  memoryMb(): number {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(kilobytes) / 1024);
  }

  private async end(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) =>
      child.once('exit', (code) => {
        this.exitCodes.push(code);
        resolve();
      }),
    );
    child.kill('SIGTERM');
    await ended;
  }
}
