import { setTimeout as sleep } from 'node:timers/promises';
import { type App, buildApp, withPool } from '../app.ts';
import type { Config } from '../config.ts';
import { buildDelivery } from '../delivery/delivery.ts';
import { openInlet } from '../inlet/inlet.ts';
import { measureJobs } from '../jobs/unfinished-jobs.ts';
import { warmPdfThreads } from '../letters/pdf-threads.ts';
import { measureLetters } from '../letters/print/late-letters.ts';
import { measureReportFiles } from '../letters/print/report-files.ts';
import { measureGuard } from '../notifications/guard/guard.task.ts';
import { measureLimits } from '../notifications/limits/limit-notices.task.ts';
import { preparePartitions } from '../notifications/partitions.ts';
import { measureRollups } from '../notifications/rollups/rollups.ts';
import { measureHeld } from '../notifications/windows/held-messages.ts';
import { reachable } from '../operations/banner.ts';
import { readVersion } from '../operations/build.ts';
import { prepareDatabase } from '../operations/country/installation.ts';
import { type Demo, ensureDemo, retireDemo } from '../operations/demo.ts';
import { recordAddress } from '../operations/listening-address.ts';
import { formats } from '../operations/text-formats.ts';
import { measurePlans } from '../plans/plan-messages.ts';
import { limitHeapGrowth } from '../platform/http/body/body-memory.ts';
import { buildListeners, buildServer } from '../platform/http/server.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Log } from '../platform/log.ts';
import { TaskRuns } from '../platform/queue/task-runs.ts';
import { startWorker } from '../platform/queue/worker.ts';
import { api, surfaces } from '../routes.ts';
import { seeds } from '../seeds.ts';
import { observeDomains } from '../sending-domains/domain-metrics.ts';
import { measureReadiness } from '../sending-domains/readiness/readiness-metrics.ts';
import { runnableTasks } from '../tasks.ts';

export interface Roles {
  api: boolean;
  worker: boolean;
}

export interface Started {
  app: App;
  address: string;
  /** Equal to `address`, unless ADMIN_PORT is set. */
  adminAddress: string;
  demo: Demo | undefined;
  stop(): Promise<void>;
}

/** Runs one process of the service: migrations, worker, delivery and HTTP listeners. */
export async function start(config: Config, log: Log, databaseUrl: string, roles: Roles): Promise<Started> {
  limitHeapGrowth();
  await prepareDatabase(config.database.sessionUrl ?? databaseUrl, log, {
    profile: config.country.profile,
    languages: config.country.offered,
    seeds,
    wait_ms: config.database.wait_ms,
  });
  if (roles.api && config.auth.functionalTestsSecrets.length > 0) {
    log.warn(
      { event: 'functional_tests.enabled' },
      'FUNCTIONAL_TESTS_SECRETS is set: its holders can create active users in any service. Unset it in production.',
    );
  }
  const app = buildApp(config, { databaseUrl, log });
  if (roles.worker) {
    warmPdfThreads(app);
    if (app.virusScanner.mode === 'marker-only') {
      const message = 'Uploaded files are not scanned for viruses: CLAMAV_ADDRESS is not set';
      log.info({ event: 'scanner.disabled' }, message);
    }
  }
  await app.open();
  await preparePartitions(withPool(app, 'tasks'));
  app.metrics.collectProcessMetrics();
  const demo = await openDemo(app, roles);
  const selected = surfaces.filter(({ name }) => isServed(name, roles, config));
  const listeners = await buildListeners(selected, config.http, (served) => buildHttp(app, served));
  // Most tasks are letters: running many more at once than there are PDF threads only adds load to the database.
  const concurrency = config.worker.concurrency || app.pdfThreads.size + 3;
  const tasks = roles.worker ? runnableTasks(app) : [];
  const worker = roles.worker
    ? startWorker({ pool: app.sessions, log, tasks, concurrency, runs: new TaskRuns(app, tasks) })
    : undefined;
  const delivery = roles.worker ? buildDelivery(app) : undefined;
  delivery?.start();
  for (const { http, port, host } of listeners) await http.listen({ port, host });
  const inlet = roles.api ? await openInlet(app) : undefined;
  const [address = '', adminAddress = address] = listeners.map(({ http }) => http.listeningOrigin);
  const deleteAddress = demo ? recordAddress(config.storage.dataDir, reachable(address)) : undefined;
  if (roles.worker) {
    measureJobs(app);
    measureLetters(app);
    observeDomains(app);
    measureReportFiles(app);
    measureRollups(app);
    measureGuard(app);
    measureLimits(app);
    measureHeld(app);
    measurePlans(app);
    measureReadiness(app);
  }

  async function stop(): Promise<void> {
    deleteAddress?.();
    app.drain();
    await sleep(config.http.drainDelay_ms);
    await Promise.all([inlet?.close(), ...listeners.map(({ http }) => http.close())]);
    await Promise.all([worker?.stop(), delivery?.stop()]);
    await app.close();
  }
  return { app, address, adminAddress, demo, stop };
}

function isServed(surface: string, roles: Roles, config: Config): boolean {
  if (!roles.api) return surface === 'open' || surface === 'operations';
  return surface !== 'console' || config.console.enabled;
}

/** Opens the demo, or revokes the key of an earlier demo if the demo is disabled. */
async function openDemo(app: App, roles: Roles): Promise<Demo | undefined> {
  const { demo, http, urls } = app.config;
  if (!demo.enabled) await retireDemo(app);
  if (!demo.enabled || !roles.api) return undefined;
  if (!demo.isOnlyHere) {
    const message = 'DEMO is on: anyone who can reach this server can read /outbox';
    app.log.warn({ event: 'demo.exposed', HOST: http.host, BASE_URL: urls.api }, message);
  }
  return ensureDemo(app);
}

export function buildHttp(app: App, selected = surfaces): Promise<Http> {
  const { requestTimeout_ms } = app.config.http;
  return buildServer({ app, surfaces: selected, formats, api: { ...api, version: readVersion() }, requestTimeout_ms });
}
