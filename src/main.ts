#!/usr/bin/env node
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type App, buildApp, forTasks } from './app.ts';
import { type Config, isLoopback, readConfig, readSandboxConfig } from './config.ts';
import { buildDelivery } from './delivery/delivery.ts';
import { jobs } from './jobs.ts';
import { measureLetters } from './letters/late-letters.ts';
import { warmPdfThreads } from './letters/pdf-threads.ts';
import { preparePartitions } from './notifications/partitions.ts';
import { backup, restore } from './operations/backup.ts';
import { describeDemo, printBanner } from './operations/banner.ts';
import { readVersion } from './operations/build.ts';
import { type Demo, ensureDemo, readDemo, retireDemo } from './operations/demo.ts';
import { examine } from './operations/doctor.ts';
import { listSettings } from './operations/list-settings.ts';
import { rekey } from './operations/rekey.ts';
import { describeSandbox, findFreePort, hastyDatabase, sandboxFolder, whenParentEnds } from './operations/sandbox.ts';
import { explainSystemError } from './operations/system-errors.ts';
import { type Command, type Flags, helpOn, readArguments, usage, whereSettingsAre } from './platform/command-line.ts';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from './platform/db/embedded.ts';
import { isDatabaseUnavailable } from './platform/db/errors.ts';
import { DatabaseUnreachable, migrate } from './platform/db/migrate.ts';
import { type GeneratedSecret, secretFile } from './platform/generated-secrets.ts';
import { buildListeners } from './platform/http/listeners.ts';
import { buildServer } from './platform/http/server.ts';
import type { Http } from './platform/http/surface.ts';
import { createLog, type Log } from './platform/log.ts';
import { OperatorError } from './platform/operator-error.ts';
import { TaskRuns } from './platform/queue/task-runs.ts';
import { startWorker } from './platform/queue/worker.ts';
import { formats, surfaces } from './routes.ts';
import { schedule } from './schedule.ts';
import { createFirstAdmin } from './users/create-admin.ts';

const needsDatabase = 'Several processes share one database: set DATABASE_URL. docs/operations/scaling.md says more.';

const commands: Record<string, Command> = {
  serve: {
    sentence: 'API and worker in one process (the usual way)',
    more: ['Needs nothing: without DATABASE_URL it runs its own PostgreSQL in DATA_DIR, without providers a sandbox.'],
    run: () => serve({ api: true, worker: true }),
  },
  api: { sentence: 'Only the HTTP API', more: [needsDatabase], run: () => serve({ api: true, worker: false }) },
  worker: {
    sentence: 'Only the worker; over HTTP it answers /livez, /readyz and /metrics',
    more: [needsDatabase],
    run: () => serve({ api: false, worker: true }),
  },
  migrate: {
    sentence: 'Bring the database up to date, then exit',
    more: ['Every start does it, too. The previous release goes on working meanwhile and afterwards.'],
    run: runMigrate,
  },
  backup: {
    sentence: 'Write a backup into a new folder, while the service runs',
    more: [
      'It holds one moment of the database, and the files of DATA_DIR. What the database keeps encrypted opens only with the',
      'secret key, which is left out: keep a copy of it apart, because a restore needs both.',
    ],
    takes: '<folder>',
    flags: {
      'with-secrets': { sentence: 'add the generated secrets of DATA_DIR: then whoever has the backup has everything' },
      recipient: { value: '<age1...>', sentence: 'encrypt it to this recipient of age; can be given several times' },
      'passphrase-file': { value: '<file>', sentence: 'encrypt it with the passphrase in this file' },
    },
    run: runBackup,
  },
  restore: {
    sentence: 'Load a backup into an unused database',
    more: [
      'Into DATABASE_URL, or else a new one in DATA_DIR: DATA_DIR=/new/data pennypost restore /backups/2026-11-15',
      'A backup of an older version is brought up to date.',
      'What waited when the backup was made is sent, even if it was sent since; with --end-unsent it fails instead.',
    ],
    takes: '<folder>',
    flags: {
      'end-unsent': { sentence: 'end what waited to be sent as failed, instead of sending it' },
      identity: { value: '<file>', sentence: 'identity file of age, for a backup that was encrypted to a recipient' },
      'passphrase-file': { value: '<file>', sentence: 'for a backup that was encrypted with a passphrase' },
    },
    run: runRestore,
  },
  demo: {
    sentence: 'Print the key and the templates of the demonstration, and a first message to send',
    more: [
      'For the demonstration that a server with the same DATA_DIR has started; see DEMO in docs/configuration.md.',
    ],
    run: runDemo,
  },
  'create-admin': {
    sentence: 'Create the first platform administrator, and print a link to choose the password',
    more: [
      'For example: pennypost create-admin "Ada Lovelace" ada@example.org 07700900123',
      'While the service runs or not; with its DATA_DIR, DATABASE_URL, SECRET_KEY and ADMIN_BASE_URL.',
      'The link works for an hour and until a password is chosen. Run it again with the same address for a new link.',
    ],
    takes: '<name> <email> <mobile>',
    run: runCreateAdmin,
  },
  rekey: {
    sentence: 'Encrypt everything again with the first key of SECRET_KEYS, while the service runs',
    more: [
      'First restart every process of the service with SECRET_KEYS=<new>,<old>; then run this with the same; then take the old',
      'one out. Links that were sent before stop working when the key that they were made with is taken out.',
      'It works in small steps and can be stopped and run again: what is done is skipped.',
      'After an upgrade from 0.2.0 it also changes to a form that binds each secret to its row: run it once every process',
      'runs this release.',
    ],
    run: runRekey,
  },
  doctor: { sentence: 'Check settings, disk, database, clock and providers, and say what to do', run: runDoctor },
  sandbox: {
    sentence: 'A throw-away instance for a test suite: prints its keys as JSON, dies with its parent',
    more: [
      'On a free port, with a database of its own. Of the environment it reads SANDBOX_*, CALLBACK_* and *_INBOUND_AUTH.',
      'docs/guides/sending.md shows how a test suite starts one.',
    ],
    run: sandbox,
  },
  config: { sentence: 'Print every setting with its value; secrets are not shown', run: runConfig },
  openapi: { sentence: 'Print the API as an OpenAPI document', run: runOpenapi },
};

export async function main(args: string[]): Promise<void> {
  const [name = 'help'] = args;
  if (name === '--version' || name === '-v') return print(readVersion());
  if (['help', '--help', '-h'].includes(name)) return print(help());
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new OperatorError(`There is no command "${name}".\n\n${help()}`);
  const words = args.slice(1);
  if (words.some((word) => ['--help', '-h'].includes(word))) return print(helpOn(name, command));
  const { positionals, flags } = readArguments(words, command);
  if (positionals.length !== (command.takes?.split('> <').length ?? 0))
    throw new OperatorError(`Usage: pennypost ${usage(name, command)}`);
  await command.run(positionals, flags);
}

function help(): string {
  const uses = Object.entries(commands).map(([name, command]) => usage(name, command));
  const width = Math.max(...uses.map((use) => use.length)) + 2;
  const lines = Object.values(commands).map(({ sentence }, index) => `  ${uses[index]?.padEnd(width)}${sentence}`);
  return ['pennypost <command>', '', ...lines, '', `All ${whereSettingsAre}`].join('\n');
}

interface Roles {
  api: boolean;
  worker: boolean;
}

/** Starts what was asked for, and stops it in the reverse order on SIGTERM or SIGINT. */
async function serve(roles: Roles): Promise<void> {
  const generated: GeneratedSecret[] = [];
  const config = readConfig(undefined, (secret) => generated.push(secret));
  const log = createLog(config.LOG_LEVEL);
  const database = await openOrEmbed(config, log);
  const { app, address, adminAddress, demo, stop } = await start(config, log, database.url, roles);
  printBanner({ app, address, adminAddress, databaseLocation: database.location, generated, demo });
  onceStopped(log, async () => {
    await stop();
    await database.stop();
  });
}

async function start(config: Config, log: Log, databaseUrl: string, roles: Roles): Promise<Started> {
  await migrate(config.DATABASE_SESSION_URL ?? databaseUrl, log, { waitSeconds: config.DATABASE_WAIT_S });
  if (roles.api && config.FUNCTIONAL_TESTS_SECRETS.length > 0) {
    log.warn(
      'FUNCTIONAL_TESTS_SECRETS is set: its holders can create active users in any service. Unset it in production.',
    );
  }
  const app = buildApp(config, { databaseUrl, log });
  if (roles.worker) warmPdfThreads(app);
  await app.open();
  await preparePartitions(forTasks(app));
  app.metrics.collectProcessMetrics();
  const demo = await openDemo(app, roles);
  const selected = roles.api ? surfaces : surfaces.filter(({ name }) => name === 'open' || name === 'operations');
  const listeners = await buildListeners(selected, config, (served) => buildHttp(app, served));
  // Most jobs are letters: more of them at once than can be drawn would only crowd the database.
  const concurrency = config.WORKER_CONCURRENCY || app.pdfThreads.size + 3;
  const runs = new TaskRuns(app, schedule);
  const worker = roles.worker
    ? startWorker({ pool: app.sessions, log, jobs: jobs(app), schedule, concurrency, runs })
    : undefined;
  const delivery = roles.worker ? buildDelivery(app) : undefined;
  delivery?.start();
  for (const { http, port, host } of listeners) await http.listen({ port, host });
  if (roles.worker) measureLetters(app);

  async function stop(): Promise<void> {
    app.drain();
    await sleep(config.DRAIN_DELAY_S * 1_000);
    await Promise.all(listeners.map(({ http }) => http.close()));
    await Promise.all([worker?.stop(), delivery?.stop()]);
    await app.close();
  }
  const [address = '', adminAddress = address] = listeners.map(({ http }) => http.listeningOrigin);
  return { app, address, adminAddress, demo, stop };
}

/** Without one, the key of an earlier demonstration is refused from now on. */
async function openDemo(app: App, roles: Roles): Promise<Demo | undefined> {
  const { DEMO, HOST } = app.config;
  if (!DEMO) await retireDemo(app);
  if (!DEMO || !roles.api) return undefined;
  if (!isLoopback(HOST)) app.log.warn({ HOST }, 'DEMO is on: anyone who can reach this server can read /outbox');
  return ensureDemo(app);
}

interface Started {
  app: App;
  address: string;
  /** The same, unless operators have a port of their own. */
  adminAddress: string;
  demo: Demo | undefined;
  stop(): Promise<void>;
}

/** Leaves nothing behind: its folder goes, and the database too where that had to be kept elsewhere. */
async function sandbox(): Promise<void> {
  const folder = sandboxFolder();
  const config = readSandboxConfig({ folder, port: await findFreePort() });
  // Standard output is for the one line that the test suite reads.
  const log = createLog(config.LOG_LEVEL, process.stderr);
  const database = await startEmbeddedPostgres({ dataDir: folder, log, settings: hastyDatabase });
  const remove = () => {
    for (const path of [database.location, database.connection.host, folder])
      rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const end = onceStopped(log, async () => {
    await started?.stop();
    await database.stop();
  });
  whenParentEnds(() => end('the parent ended'));
  let started: Started | undefined;
  started = await start(config, log, database.url, { api: true, worker: true });
  if (started.demo) print(JSON.stringify(await describeSandbox(started.app, started.demo)));
}

async function openOrEmbed(
  config: Config,
  log: Log,
): Promise<{ url: string; location?: string; stop(): Promise<void> }> {
  if (config.DATABASE_URL !== undefined) return { url: config.DATABASE_URL, stop: async () => {} };
  return startEmbeddedPostgres({ dataDir: config.DATA_DIR, log });
}

function buildHttp(app: App, selected = surfaces): Promise<Http> {
  const requestTimeout_ms = app.config.REQUEST_TIMEOUT_S * 1_000;
  return buildServer({ app, surfaces: selected, formats, version: readVersion(), requestTimeout_ms });
}

/**
 * The first signal drains; a second one, or 30 s, ends the process at once. Nothing accepted is lost either way. Returns
 * what a signal does, for those who end for other reasons.
 */
function onceStopped(log: Log, stop: () => Promise<void>): (reason?: string) => void {
  let stopping = false;
  const end = (reason = 'asked to') => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ reason }, 'stopping: finishing what is in flight');
    setTimeout(() => process.exit(1), 30_000).unref();
    stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(signal));
  return end;
}

async function runMigrate(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.LOG_LEVEL);
  const database = await openOrEmbed(config, log);
  try {
    const applied = await migrate(config.DATABASE_SESSION_URL ?? database.url, log, {
      waitSeconds: config.DATABASE_WAIT_S,
    });
    print(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
  } finally {
    await database.stop();
  }
}

async function runBackup([folder = '']: string[], flags: Flags): Promise<void> {
  const config = readConfig();
  const withSecrets = flags['with-secrets'] !== undefined;
  const recipients = flags.recipient;
  const passphraseFile = flags['passphrase-file']?.at(-1);
  const isEncrypted = recipients !== undefined || passphraseFile !== undefined;
  await withDatabase(config, (url) =>
    backup({ url, dataDir: config.DATA_DIR, folder, say: print, withSecrets, recipients, passphraseFile }),
  );
  print(
    `The backup is in ${folder}${isEncrypted ? ', encrypted' : ''}. It holds personal data${withSecrets ? ' and secrets' : ''}: keep it as safe as the database.`,
  );
  if (!withSecrets)
    print(`Without the secret key it is not whole: keep a copy apart. It is ${whereSecretKeyIs(config)}.`);
}

function whereSecretKeyIs({ SECRET_KEYS, DATA_DIR }: Config): string {
  const file = secretFile(DATA_DIR, 'secret-key');
  const isGenerated = existsSync(file) && readFileSync(file, 'utf8').trim() === SECRET_KEYS[0];
  return isGenerated ? `in ${file}` : 'what SECRET_KEY or SECRET_KEYS is set to';
}

async function runRestore([folder = '']: string[], flags: Flags): Promise<void> {
  const config = readConfig();
  const log = createLog(config.LOG_LEVEL);
  const opening = {
    endUnsent: flags['end-unsent'] !== undefined,
     identityFile: flags.identity?.at(-1), passphraseFile: flags['passphrase-file']?.at(-1) };
  let secrets = 0;
  await withDatabase(config, async (url) => {
    ({ secrets } = await restore({ url, dataDir: config.DATA_DIR, folder, say: print, log, ...opening }));
  });
  print(
    secrets > 0
      ? 'Restored, with the secrets that were generated. Where SECRET_KEY was set, start the service with the same one.'
      : `Restored. The backup holds no secrets: start the service with the SECRET_KEY that it was used with, or put that key into ${secretFile(config.DATA_DIR, 'secret-key')}.`,
  );
}

async function runDemo(): Promise<void> {
  const config = readConfig();
  if (!config.DEMO) throw new OperatorError('There is no demonstration with these settings: set DEMO=true for one.');
  const demo = readDemo(config.DATA_DIR);
  if (!demo) throw new OperatorError(`There is no demonstration in ${config.DATA_DIR} yet: start the server first.`);
  print(describeDemo(demo, config));
}

async function runCreateAdmin([name = '', email_address = '', mobile_number = '']: string[]): Promise<void> {
  const config = readConfig();
  const log = createLog('silent');
  await withDatabase(config, async (url) => {
    // The service may never have been started.
    await migrate(url, log, { waitSeconds: config.DATABASE_WAIT_S });
    const app = buildApp(config, { databaseUrl: url, log });
    try {
      const link = await createFirstAdmin(app, { name, email_address, mobile_number });
      print(
        `${email_address} is a platform administrator. Open this link within an hour to choose the password:\n\n${link}\n`,
      );
      print(
        'It leads to the administrative front end (ADMIN_BASE_URL). Anyone who has it can choose the password: keep it secret.',
      );
    } finally {
      await app.close();
    }
  });
}

async function runRekey(): Promise<void> {
  const config = readConfig(undefined, undefined, { shortKeysMayRead: true });
  await withDatabase(config, (url) => rekey({ url, secretKeys: config.SECRET_KEYS, say: print }));
  print('Everything is encrypted with the first key.');
}

async function runDoctor(): Promise<void> {
  const config = readConfig();
  await withDatabase(config, async (url) => {
    const findings = await examine(config, url);
    for (const { name, ok, sentence } of findings)
      print(`${ok ? 'ok     ' : 'PROBLEM'}  ${name.padEnd(12)} ${sentence}`);
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  });
}

/** For commands that may run beside the service: its own embedded server is used if there is one. */
async function withDatabase(config: Config, work: (url: string) => Promise<void>): Promise<void> {
  const running = config.DATABASE_SESSION_URL ?? config.DATABASE_URL ?? findRunningEmbeddedPostgres(config.DATA_DIR);
  if (running !== undefined) return work(running);
  const database = await openOrEmbed(config, createLog('silent'));
  try {
    await work(database.url);
  } finally {
    await database.stop();
  }
}

async function runConfig(): Promise<void> {
  for (const line of listSettings(readConfig())) print(line);
}

async function runOpenapi(): Promise<void> {
  const app = buildApp(readConfig(), { databaseUrl: 'postgres://unused', log: createLog('silent') });
  const http = await buildHttp(app);
  await http.ready();
  print(JSON.stringify(http.swagger(), null, 2));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Mistakes that the operator can mend are told in words; anything else with its stack. */
function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (isDatabaseUnavailable(error)) return new DatabaseUnreachable(error).message;
  return explainSystemError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  });
}
