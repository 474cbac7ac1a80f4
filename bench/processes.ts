import { type ChildProcess, fork, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Runs one of this folder's modules in a separate process: sends an order, waits for its report. */
export function runInProcess<Order extends object, Report>(module: string, order: Order): Promise<Report> {
  return startReporting<Order, Report>(module, order).reported;
}

function startReporting<Order extends object, Report>(module: string, order: Order) {
  const child = fork(fileURLToPath(new URL(`./${module}.js`, import.meta.url)), { stdio: 'inherit' });
  const reported = new Promise<Report>((resolve, reject) => {
    child.on('message', (report) => resolve(report as Report));
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${module} ended with code ${code}`)));
    child.send(order);
  });
  return { child, reported };
}

/** The same until it is told to stop: `stop` returns its report. */
export function runInProcessUntilStopped<Order extends object, Report>(module: string, order: Order) {
  const { child, reported } = startReporting<Order, Report>(module, order);
  return {
    stop() {
      child.send({});
      return reported;
    },
  };
}

/** One of this folder's modules that runs until it is stopped, and reports on request. */
export async function startInProcess<Order extends object>(module: string, order: Order) {
  const child = fork(fileURLToPath(new URL(`./${module}.js`, import.meta.url)), { stdio: 'inherit' });
  const ask = <Report>(question: object) =>
    new Promise<Report>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`${module} ended with code ${code}`));
      child.once('exit', onExit);
      child.once('message', (report) => {
        child.off('exit', onExit);
        resolve(report as Report);
      });
      child.send(question);
    });
  const { port } = await ask<{ port: number }>(order);
  return { port, report: <Report>() => ask<Report>({}), stop: () => child.kill() };
}

export interface Product {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** A process of the product itself, as `npm start` would run it. */
export async function startProduct(
  role: string,
  environment: Record<string, string>,
  flags: string[] = [],
): Promise<Product> {
  const port = await freePort();
  const child = spawn(process.execPath, [...startFlags(), ...flags, 'dist/main.js', role], {
    env: { ...process.env, LOG_LEVEL: 'warn', ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilReady(child, port);
  return {
    port,
    pid: child.pid ?? 0,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

/** `BENCH_CPU_PROFILE=<folder>`: the measured process writes its profile there when it stops. */
export function profilingFlags(): string[] {
  const folder = process.env.BENCH_CPU_PROFILE;
  return folder ? ['--cpu-prof', '--cpu-prof-dir', folder] : [];
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) throw new Error(`the product ended with code ${child.exitCode}`);
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(100);
  }
  throw new Error('the product did not get ready within a minute');
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Processor time of a process so far, in milliseconds. Linux only. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // utime and stime, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function rssMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Of a server and all its child processes, including those that ended in between. */
export function cpuMsOfFamily(pid: number): number {
  const ofChildren = childrenOf(pid).reduce((sum, child) => sum + (ifRunning(() => cpuMs(child)) ?? 0), 0);
  // Read last: it has the time of a child that has just ended.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ended = (Number(fields[13]) + Number(fields[14])) * 10;
  return cpuMs(pid) + ended + ofChildren;
}

export function parentOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Boolean)
    .filter((candidate) => ifRunning(() => parentOf(candidate)) === pid);
}

/** Undefined if the process that is read about has ended. */
function ifRunning<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

export function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
