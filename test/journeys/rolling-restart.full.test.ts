import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jwt } from '../kit/builders/jwt.ts';
import { anApiKey, aService, aTemplate } from '../kit/builders/rows.ts';
import { adminSecret, useHarness } from '../kit/harness.ts';
import { claimPort } from '../kit/process/claim-port.ts';
import { processEnvironment } from '../kit/process/process-environment.ts';

/** Two API processes on one database, behind a load balancer that polls `/readyz`. */

interface Instance {
  port: number;
  child: ChildProcess;
  ready: boolean;
}

const harness = useHarness({ sharesDatabase: true });
const agent = new Agent({ keepAlive: true });
const instances: Instance[] = [];
let key: string;
let serviceId: string;
let message: string;

async function call(port: number, method: 'GET' | 'POST', path: string, token?: string, body?: string) {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const sent = request({ agent, port, host: '127.0.0.1', method, path, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, text };
}

function adminToken(): string {
  return jwt({ iss: 'notify-admin', iat: Math.floor(Date.now() / 1_000) }, adminSecret);
}

function launch(port: number): ChildProcess {
  const { encryption, storage } = harness.app.config;
  const env = {
    ...{
      ...processEnvironment,
      PORT: String(port),
      SECRET_KEYS: encryption.keys.join(),
      DATA_DIR: storage.dataDir,
      ADMIN_CLIENT_SECRETS: adminSecret,
    },
    DATABASE_URL: harness.app.pool.options.connectionString,
    // Far more than the load balancer below takes to notice, even when the machine is busy with other tests.
    ...{ DRAIN_DELAY_S: '3', LOG_LEVEL: 'warn', DATABASE_POOL_SIZE: '5' },
  };
  return spawn(process.execPath, ['dist/main.js', 'api'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function untilReady(instance: Instance): Promise<void> {
  while (!instance.ready) {
    if (instance.child.exitCode !== null) throw new Error('The process did not start');
    await sleep(50);
  }
}

let watching = true;
/** The load balancer's view, which is always a little late. */
async function watch(instance: Instance): Promise<void> {
  while (watching) {
    const response = await call(instance.port, 'GET', '/readyz').catch(() => undefined);
    instance.ready = response?.status === 200;
    await sleep(100);
  }
}

describe('two API processes', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    execFileSync(process.execPath, ['scripts/ready.mjs'], { stdio: 'inherit' });
    serviceId = await aService(harness, { rate_limit: 1_000_000 });
    key = await anApiKey(harness, serviceId);
    const template_id = await aTemplate(harness, serviceId, { content: 'Hello' });
    message = JSON.stringify({ phone_number: '07700900123', template_id });
    for (const port of [await claimPort(), await claimPort()]) {
      instances.push({ port, child: launch(port), ready: false });
    }
    for (const instance of instances) void watch(instance);
    await Promise.all(instances.map(untilReady));
  }, 120_000);

  afterAll(async () => {
    watching = false;
    agent.destroy();
    const running = instances.map(({ child }) => child).filter(({ exitCode }) => exitCode === null);
    // Each waits for its load balancer before it ends.
    await Promise.all(running.map((child) => child.kill() && once(child, 'exit')));
  });

  it('are restarted one after the other without a failed request', async () => {
    const outcomes: Record<string, number> = {};
    let sending = true;
    let turn = 0;
    async function keepSending(): Promise<void> {
      while (sending) {
        const ready = instances.filter((instance) => instance.ready);
        const { port } = ready[turn++ % ready.length] ?? { port: 0 };
        const outcome = await call(port, 'POST', '/v2/notifications/sms', key, message).then(
          ({ status }) => String(status),
          (error: Error) => error.message,
        );
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        await sleep(25);
      }
    }
    const senders = Array.from({ length: 4 }, keepSending);
    for (const instance of instances) {
      const before = outcomes['201'] ?? 0;
      instance.child.kill('SIGTERM');
      const [code] = await once(instance.child, 'exit');
      expect(code).toBe(0);
      expect(outcomes['201']).toBeGreaterThan(before);
      instance.child = launch(instance.port);
      await untilReady(instance);
    }
    sending = false;
    await Promise.all(senders);
    expect(Object.keys(outcomes)).toEqual(['201']);
    const stored = await harness.app.db.selectFrom('notifications').select('id').execute();
    expect(stored).toHaveLength(outcomes['201'] ?? 0);
  });

  it('a key that is revoked through one is rejected by the other', async () => {
    const [one, other] = instances.map(({ port }) => port) as [number, number];
    expect((await call(other, 'POST', '/v2/notifications/sms', key, message)).status).toBe(201);
    const keys = await call(one, 'GET', `/service/${serviceId}/api-keys`, adminToken());
    const [{ id }] = JSON.parse(keys.text).apiKeys;
    const revoked = await call(one, 'POST', `/service/${serviceId}/api-key/revoke/${id}`, adminToken(), '{}');
    expect(revoked.status).toBe(202);
    // test/faults/many-processes.faults.ts measures how soon, on an idle machine.
    while ((await call(other, 'POST', '/v2/notifications/sms', key, message)).status === 201) await sleep(20);
    expect((await call(other, 'POST', '/v2/notifications/sms', key, message)).status).toBe(403);
  });
});
