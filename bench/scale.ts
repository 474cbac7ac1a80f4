import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/commands/read-config.ts';
import { startEmbeddedPostgres } from '../src/libraries/embedded-postgres/embedded-postgres.ts';
import { reconcileRollups } from '../src/notifications/rollups/rollups.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { createLog } from '../src/platform/log.ts';
import { seeds } from '../src/seeds.ts';
import { runnableTasks } from '../src/tasks.ts';
import type { Measurement, Options, Progress } from './measurement.ts';
import { seedMessages } from './scale-seed.ts';
import { compareReports } from './statistics.ts';

/** Everything that could get slower with the number of messages: every scheduled task, and every report. */
export const name = 'scale';
export const onlyWhenNamed = true;

const usualMessages = 20_000_000;
const services = 300;
const now = new Date('2026-11-15T04:00:00Z');
/** Max seconds of a task per million stored messages. */
const secondsPerMillion = 30;

export async function run(progress: Progress, options: Options): Promise<Measurement> {
  const messages = options.messages ?? usualMessages;
  const { tasks, count_s } = await measureTasks(messages, progress);
  const reports = await compareReports([Math.ceil(messages / 10), messages], (line) => progress(`reports: ${line}`));
  const bound_s = Math.max(60, (secondsPerMillion * messages) / 1_000_000);
  return {
    figures: {
      messages,
      slowest_task_ratio_to_count: round(Math.max(...tasks.map(({ seconds }) => seconds)) / count_s),
      slowest_task_s: Math.max(...tasks.map(({ seconds }) => seconds)),
      all_tasks_s: round(tasks.reduce((sum, { seconds }) => sum + seconds, 0)),
      reports_worst_p95_ms: reports.figures.worst_p95_ms ?? 0,
      reports_worst_ratio: reports.figures.worst_ratio ?? 0,
    },
    targets: {
      slowest_task_s: `< ${bound_s}`,
      slowest_task_ratio_to_count: '< 10',
      reports_worst_p95_ms: reports.targets?.worst_p95_ms ?? '',
      reports_worst_ratio: reports.targets?.worst_ratio ?? '',
    },
    detail: [
      ...tasks.map(({ task, seconds }) => ({ what: task, seconds, 'should be': `< ${bound_s}` })),
      ...(reports.detail ?? []).map(({ endpoint = '', ...row }) => ({ what: endpoint, ...row })),
    ],
  };
}

interface Tasks {
  tasks: { task: string; seconds: number }[];
  /** The comparison: one statement that counts all messages by service, template, channel and status. */
  count_s: number;
}

/** Each task once, at its scheduled time; at 03:00 a whole day of messages is due to be deleted. */
async function measureTasks(messages: number, progress: Progress): Promise<Tasks> {
  const log = createLog('silent');
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'pennypost-bench-'));
  const server = await startEmbeddedPostgres({ dataDir: DATA_DIR, log });
  try {
    await migrate(server.url, log, { seeds });
    const config = readConfig({
      ADMIN_CLIENT_SECRETS: 'admin-secret-of-the-benchmark-which-is-long-enough',
      SECRET_KEY: 'secret-key-of-the-benchmark-which-is-long-enough',
      DATA_DIR,
      DEMO: 'false',
    });
    const app = buildApp(config, { databaseUrl: server.url, clock: { now: () => now }, log });
    await app.open();
    try {
      await seedMessages(app.db, { messages, services, now }, progress);
      progress('messages are counted');
      let repaired = 0;
      const reconcile = () => reconcileRollups({ ...app, ...app.apart.tasks }, (_, repairs) => (repaired += repairs));
      await reconcile();
      const measured: { task: string; seconds: number }[] = [];
      for (const { name, run } of runnableTasks(app).filter(({ schedule }) => schedule)) {
        progress(`task ${name}`);
        const started = performance.now();
        await run({});
        measured.push({ task: name, seconds: round((performance.now() - started) / 1_000) });
      }
      repaired = 0;
      await reconcile();
      if (repaired > 0) throw new Error(`${repaired} rows of the rollups differ from the messages`);
      progress('one statement counts all messages');
      const started = performance.now();
      await sql`select service_id, template_id, notification_type, status, count(*) from notifications
        group by service_id, template_id, notification_type, status`.execute(app.apart.tasks.db);
      return { tasks: measured, count_s: (performance.now() - started) / 1_000 };
    } finally {
      await app.close();
    }
  } finally {
    await server.stop();
    rmSync(server.location, { recursive: true, force: true });
    rmSync(DATA_DIR, { recursive: true, force: true });
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
