import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDemo } from '../src/operations/demo.ts';
import { jwt } from './kit/builders/jwt.ts';
import { claimPort } from './kit/process/claim-port.ts';
import { cloneDatabase } from './kit/process/database.ts';
import { isLongRun, processEnvironment, someOf } from './kit/process/process-environment.ts';

/**
 * Every endpoint of a real server process gets bodies that are large, have very many members, use names of Object.prototype,
 * or never end. Expected: no 5xx but 503, no request that blocks the process for a second, memory below 512 MB. Processor
 * time is measured, because the machine may be busy. An endpoint gets two of the bodies, the next one the next two; `npm run
 * test:long` sends all of them to each endpoint.
 */

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pennypost-fuzz-'));
const adminSecret = 'secret-of-the-front-end-of-this-test';
const max_MB = 512;

interface Operation {
  line: string;
  method: string;
  path: string;
  tag: string;
}

let address: string;
let port: number;
let apiKey: string;
let operations: Operation[];
let stop: () => Promise<void>;

beforeAll(async () => {
  const database = await cloneDatabase();
  port = await claimPort();
  address = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [main, 'api'], {
    env: {
      ...processEnvironment,
      ...{ DATA_DIR: folder, DATABASE_URL: database.url, PORT: String(port), DEMO: 'true', LOG_LEVEL: 'silent' },
      ...{ ADMIN_CLIENT_SECRETS: adminSecret, FUNCTIONAL_TESTS_SECRETS: adminSecret },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stop = async () => {
    if (server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit');
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  };
  await once(server.stdout, 'data');
  server.stdout.resume();
  apiKey = readDemo(folder)?.api_key ?? '';
  const { paths } = (await (await fetch(`${address}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags?: string[] }>>;
  };
  operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { tags = [] }]) => ({
      line: `${method.toUpperCase()} ${template}`,
      method: method.toUpperCase(),
      path: template.replaceAll(/\{\w+\}/g, 'd6aa2c68-a2d9-4437-ab19-3ae8eb202553'),
      tag: tags[0] ?? '',
    })),
  );
}, 60_000);
afterAll(() => stop?.());

function credentials({ tag }: Operation): { authorization: string } {
  const iss = tag === 'functional-tests' ? 'notify-functional-tests' : 'notify-admin';
  const iat = Math.floor(Date.now() / 1_000);
  return { authorization: `Bearer ${tag === 'v2' ? apiKey : jwt({ iss, iat }, adminSecret)}` };
}

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const members = (count: number) => Array.from({ length: count }, (_, index) => `"name${index}":0`).join(',');
const shapes = {
  'many members': `{${members(9_900)}}`,
  'too many members': `{${members(15_000)}}`,
  'many lists': `[${'[],'.repeat(80_000)}[]]`,
  'deep lists': `{"personalisation":{"name":${'['.repeat(7_900)}${']'.repeat(7_900)}}}`,
  'a long name': `{"${'x'.repeat(200_000)}":1}`,
  'a long text': JSON.stringify('x'.repeat(250_000)),
  'names of every object':
    '{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}},"toString":"x","hasOwnProperty":[],"personalisation":{"__proto__":1,"constructor":{"toString":1}}}',
  'a text that is no text': '{"name":{"toString":1},"template_id":{"constructor":1},"data":{"__proto__":null}}',
};
/** Without credentials. */
const few = [shapes['many members'], shapes['names of every object']];

describe('every endpoint with a body', () => {
  it('responds to large and odd bodies without a 5xx, in little processor time', { timeout: 600_000 }, async () => {
    const wrong: string[] = [];
    const writes = operations.filter(({ method }) => method !== 'GET');
    expect(writes.length).toBeGreaterThan(100);
    let before = await figure('process_cpu_seconds_total');
    for (const [place, operation] of writes.entries()) {
      const send = async (payload: string, headers: Record<string, string>) => {
        const { method, path, line } = operation;
        const response = await fetch(`${address}${path}`, { method, headers, body: payload });
        const text = await response.text();
        if (response.status >= 500 && response.status !== 503)
          wrong.push(`${response.status} ${line} ${payload.slice(0, 80)}`);
        if (text.length > 20_000) wrong.push(`${text.length} characters of an answer: ${line} ${payload.slice(0, 80)}`);
      };
      for (const payload of someOf(Object.values(shapes), { count: 2, place }))
        await send(payload, credentials(operation));
      for (const payload of someOf(few, { count: 1, place })) await send(payload, {});
      const after = await figure('process_cpu_seconds_total');
      if (after - before > 1) wrong.push(`${after - before} s of processor time: ${operation.line}`);
      before = after;
    }
    expect(wrong).toEqual([]);
    expect(await figure('process_resident_memory_bytes')).toBeLessThan(max_MB * 1024 * 1024);
  });

  it('responds to others while bodies of every endpoint never end', { timeout: 60_000 }, async () => {
    const sockets: Socket[] = [];
    const writes = operations.filter(({ method }) => method !== 'GET');
    for (const operation of writes.filter((_, index) => isLongRun || index % 4 === 0)) {
      for (const headers of [credentials(operation), {}]) {
        const socket = connect(port, '127.0.0.1');
        sockets.push(socket);
        // The server may have closed it already.
        socket.on('error', () => undefined).resume();
        const head = [`${operation.method} ${operation.path} HTTP/1.1`, 'host: localhost', 'content-length: 250000'];
        const lines = [...head, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
        socket.write(`${lines.join('\r\n')}\r\n\r\n{"a":"${'x'.repeat(200_000)}`);
      }
    }
    const before = await figure('process_cpu_seconds_total');
    await expect.poll(() => figure('concurrent_web_request_count'), { timeout: 20_000 }).toBeGreaterThan(20);
    for (let round = 0; round < 20; round += 1) {
      const authorization = `Bearer ${apiKey}`;
      expect((await fetch(`${address}/v2/templates`, { headers: { authorization } })).status).toBe(200);
    }
    // This includes reading the data of the sockets: a hundred megabytes.
    expect((await figure('process_cpu_seconds_total')) - before).toBeLessThan(5);
    expect(await figure('process_resident_memory_bytes')).toBeLessThan(max_MB * 1024 * 1024);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => figure('concurrent_web_request_count'), { timeout: 10_000 }).toBe(1);
  });
});
