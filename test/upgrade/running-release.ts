import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { jwt } from '../kit/builders/jwt.ts';
import type { Answer } from '../kit/harness.ts';
import { claimPort } from '../kit/process/claim-port.ts';
import { processEnvironment } from '../kit/process/process-environment.ts';

const adminSecret = 'admin-secret-of-the-upgrade-tests';

interface Surroundings {
  databaseUrl: string;
  dataDir: string;
  /** The offset of its clock from ours. */
  clockOffset_ms: number;
  clockFile: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The environment of every command of a release. */
export function environmentIn({ databaseUrl, dataDir, clockFile }: Surroundings): NodeJS.ProcessEnv {
  return {
    ...{ ...processEnvironment, DEMO: 'false', LOG_LEVEL: 'warn', DATA_DIR: dataDir },
    ...{ DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: '8', PDF_THREADS: '1', SANDBOX_DELAY_MS: '0' },
    ...{ SECRET_KEY: 'secret-key-of-the-upgrade-tests-long-enough', ADMIN_CLIENT_SECRETS: adminSecret },
    ...{ MMG_INBOUND_AUTH: 'mmg:secret', SES_VERIFY_SIGNATURES: 'false', CALLBACK_ALLOW_PRIVATE: 'true' },
    NODE_OPTIONS: `--import=${new URL('../kit/fakes/jumping-clock.mjs', import.meta.url).href}`,
    CLOCK_FILE: clockFile,
  };
}

/** One release as a process: API and worker, called through HTTP. */
export class RunningRelease {
  readonly name: string;
  /** Responses of 500 and more, and error log lines: there should be none. */
  readonly faults: string[] = [];
  private readonly child: ChildProcess;
  private readonly url: string;
  private readonly surroundings: Surroundings;

  /** `folder` has a compiled release. */
  static async start(name: string, folder: string, surroundings: Surroundings): Promise<RunningRelease> {
    const release = new RunningRelease(name, folder, surroundings, await claimPort());
    await release.untilReady();
    return release;
  }

  private constructor(name: string, folder: string, surroundings: Surroundings, port: number) {
    this.name = name;
    this.surroundings = surroundings;
    this.url = `http://127.0.0.1:${port}`;
    this.child = spawn(process.execPath, [join(folder, 'dist/main.js'), 'serve'], {
      ...{ cwd: surroundings.dataDir, env: { ...environmentIn(surroundings), PORT: String(port) } },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (this.child.stdout) createInterface(this.child.stdout).on('line', (line) => this.read(line));
  }

  private read(line: string): void {
    if (/^\{"level":"(error|fatal)"/.test(line)) this.faults.push(line);
  }

  now(): Date {
    return new Date(Date.now() + this.surroundings.clockOffset_ms);
  }

  /** Returns any response, errors included. One connection each: no release has to close idle ones when it stops. */
  async ask(method: Method, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    const sent = request(`${this.url}${path}`, { method, headers, agent: false });
    sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks = await response.setEncoding('utf8').toArray();
    const { statusCode: status = 0, headers: own } = response;
    const text = chunks.join('');
    if (status >= 500) this.faults.push(`${status} for ${method} ${path}: ${text}`);
    const isJson = own['content-type']?.includes('json') && text !== '';
    return { status, body: isJson ? JSON.parse(text) : text, headers: own, text };
  }

  /** As the administrative front end. */
  admin(method: Method, path: string, body?: unknown): Promise<Answer> {
    const iat = Math.floor(this.now().getTime() / 1_000);
    const authorization = `Bearer ${jwt({ iss: 'notify-admin', iat }, adminSecret)}`;
    return this.ask(method, path, { authorization }, body);
  }

  async stop(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.kill()) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  private async untilReady(): Promise<void> {
    for (;;) {
      const response = await this.ask('GET', '/livez', {}).catch(() => undefined);
      if (response?.status === 200) return;
      if (this.child.exitCode !== null) throw new Error(`${this.name} did not start: ${this.faults.join('\n')}`);
      await sleep(50);
    }
  }
}
