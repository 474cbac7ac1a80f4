import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { formats } from '../../src/operations/text-formats.ts';
import { refuseOtherSettings } from '../../src/platform/db/pool.ts';
import { buildServer } from '../../src/platform/http/server.ts';
import { startWorker } from '../../src/platform/queue/worker.ts';
import { api, surfaces } from '../../src/routes.ts';
import { runnableTasks } from '../../src/tasks.ts';
import { anApiKey, aService, aTemplate } from '../kit/builders/rows.ts';
import { changedConfig } from '../kit/fakes/changed-config.ts';
import { useHarness } from '../kit/harness.ts';

/** Requirements of a PgBouncer in transaction mode; test/faults/pgbouncer.faults.ts runs with a real one. */

const harness = useHarness();
let url: string;

beforeAll(() => {
  url = harness.app.pool.options.connectionString ?? '';
});

describe('with DATABASE_SESSION_URL', () => {
  it('DATABASE_URL has no state that outlives a transaction', async () => {
    const { clock, files } = harness;
    const sessionUrl = `${url}&application_name=sessions`;
    const config = changedConfig(harness.app.config, { database: { sessionUrl } });
    const outside = { databaseUrl: `${url}&application_name=shared`, log: harness.app.log, clock, files };
    const app = buildApp(config, outside);
    await app.open();
    const http = await buildServer({ app, surfaces, formats, api: { ...api, version: 'test' } });
    const unscheduled = runnableTasks(app).filter(({ schedule }) => !schedule);
    const worker = startWorker({ pool: app.sessions, log: app.log, tasks: unscheduled, concurrency: 1 });
    onTestFinished(async () => {
      await worker.stop();
      await http.close();
      await app.close();
    });
    const service = await aService(harness);
    const authorization = `Bearer ${await anApiKey(harness, service)}`;
    const payload = {
      phone_number: '07700900123',
      template_id: await aTemplate(harness, service, { content: 'Hello' }),
    };
    const response = await http.inject({
      method: 'POST',
      url: '/v2/notifications/sms',
      headers: { authorization },
      payload,
    });
    expect(response.statusCode).toBe(201);

    await expect.poll(() => listening('sessions')).toBe(2);
    expect(await listening('shared')).toBe(0);
    const prepared = await app.pool.query('select name from pg_prepared_statements');
    expect(prepared.rows).toEqual([]);
  });

  /** The number of listening connections. */
  async function listening(name: string): Promise<number> {
    const { rows } = await harness.app.pool.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and application_name = $1 and query ilike 'listen%'`,
      [name],
    );
    return rows.length;
  }
});

describe('startup', () => {
  it('rejects a database with another time zone', async () => {
    const elsewhere = buildApp(harness.app.config, { databaseUrl: url, log: harness.app.log });
    onTestFinished(() => elsewhere.close());
    elsewhere.pool.options.options = '-c TimeZone=Europe/London';
    await expect(refuseOtherSettings(elsewhere.pool)).rejects.toThrow('has the time zone Europe/London');
  });
});
