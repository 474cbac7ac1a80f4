import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../kit/builders/rows.ts';
import { adminSecret, useHarness } from '../kit/harness.ts';
import { claimPort } from '../kit/process/claim-port.ts';
import { processEnvironment } from '../kit/process/process-environment.ts';

const harness = useHarness({ sharesDatabase: true });
const workers: ChildProcess[] = [];

async function launchWorker(): Promise<ChildProcess> {
  const { encryption, storage } = harness.app.config;
  const env = {
    ...{
      ...processEnvironment,
      PORT: String(await claimPort()),
      SECRET_KEYS: encryption.keys.join(),
      DATA_DIR: storage.dataDir,
      LOG_LEVEL: 'error',
    },
    ...{ DATABASE_URL: harness.app.pool.options.connectionString, ADMIN_CLIENT_SECRETS: adminSecret },
    ...{ DEMO: 'false', DATABASE_POOL_SIZE: '10' },
  };
  const child = spawn(process.execPath, ['dist/main.js', 'worker'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  workers.push(child);
  return child;
}

async function count(query: string, what = '*'): Promise<number> {
  const { rows } = await harness.app.pool.query<{ count: number }>(`select count(${what})::int as count ${query}`);
  return rows[0]?.count ?? 0;
}

const letterTasks = "from graphile_worker.jobs where task_identifier = 'compose-letter'";
const drawn = `from notifications where status = 'delivered'`;

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await sleep(50);
}

describe('two workers', { timeout: 90_000 }, () => {
  beforeAll(() => void execFileSync(process.execPath, ['scripts/ready.mjs'], { stdio: 'inherit' }), 120_000);

  afterAll(async () => {
    for (const child of workers) {
      if (child.exitCode === null && child.signalCode === null && child.kill()) await once(child, 'exit');
    }
  });

  it('one is killed while it renders letters: the other finishes them within seconds', async () => {
    const serviceId = await aService(harness);
    const key = await anApiKey(harness, serviceId, { key_type: 'test' });
    const content = Array.from({ length: 9 }, () => '# Chapter\n\nWords\n\n***').join('\n\n');
    const template_id = await aTemplate(harness, serviceId, { template_type: 'letter', subject: 'Ten pages', content });
    const personalisation = { address_line_1: 'Ada', address_line_2: '1 High Street', postcode: 'SW1A 1AA' };
    // Enough for both workers to be at work when one is killed.
    const letters = 80;
    for (let number = 0; number < letters; number += 1) {
      const sent = await harness.v2('POST', '/v2/notifications/letter', key, { template_id, personalisation });
      expect(sent.status).toBe(201);
    }

    // Neither begins before the other: on a busy machine, one would render them all while the other still starts.
    const dueIn = (time: string) =>
      harness.app.pool.query(`update graphile_worker._private_jobs set run_at = now() + $1::interval`, [time]);
    await dueIn('1 hour');
    const [victim] = await Promise.all([launchWorker(), launchWorker()]);
    await until(async () => (await count('from queue_workers')) === 2);
    await dueIn('0 s');
    await harness.app.pool.query(`select pg_notify('jobs:insert', '{}')`);
    const atWork = () => count(letterTasks, 'distinct locked_by');
    await until(async () => (await count(drawn)) >= 10 && (await atWork()) === 2);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    const killed = Date.now();
    // The survivor may be between two letters; those of the victim stay locked.
    await harness.app.pool.query(`create table held as select id, locked_by ${letterTasks} and locked_by is not null`);
    expect(await count('from held')).toBeGreaterThan(0);
    await until(async () => (await count('from held join graphile_worker.jobs using (id, locked_by)')) === 0);
    const takenOver_ms = Date.now() - killed;
    await until(async () => (await count(drawn)) === letters);

    expect(takenOver_ms).toBeLessThan(20_000);
    // A task ends a moment after the status of its letter was stored.
    await until(async () => (await count(letterTasks)) === 0);
  });
});
