import { accessSync, constants, statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import { openEmailProviders, openTextProviders } from '../../delivery/providers/active-providers.ts';
import type { ProviderDescriptor } from '../../delivery/providers/descriptor.ts';
import type { Provider } from '../../delivery/providers/provider.ts';
import { settingsOf } from '../../delivery/providers/provider-settings.ts';
import { providers } from '../../delivery/providers/providers.ts';
import { checkSftp } from '../../letters/print/check-sftp.ts';
import { systemClock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import { createLog } from '../../platform/log.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import type { Platform } from '../../platform/platform.ts';
import { SecretBox } from '../../platform/secrets/secrets.ts';
import { openFiles } from '../../platform/storage/open-files.ts';
import type { InStores } from '../../stores/stores.ts';
import { createOpenIdIssuer } from '../../users/sign-in/single-sign-on/openid.ts';
import { checkDatabase, checkPool, mainDatabase } from './databases.ts';
import { type Finding, finding } from './finding.ts';
import { checkRunningStores, checkStores } from './stores.ts';

const minFreeBytes = 1024 ** 3;
const maxCheck_ms = 5_000;

/** Checks the requirements of a start. The checks are independent, so that one run finds every problem. */
export async function examine(
  config: Config,
  url: string,
  list: readonly ProviderDescriptor[] = providers,
): Promise<Finding[]> {
  return [
    checkNode(),
    checkDataDir(config.storage.dataDir),
    checkDisk(config.storage.dataDir),
    ...(await checkBucket(config)),
    ...(await checkDatabase(config, mainDatabase(config, url))),
    ...(await checkStores(config, url)),
    ...(await checkProvidersAlone(config, url, list)),
    ...(await checkReceivers(config, list)),
    ...(await checkPrinter(config)),
    ...(await checkIssuer(config)),
  ];
}

interface Running extends Platform, InStores<Platform> {
  config: Config;
  providers: readonly ProviderDescriptor[];
}

/** The same checks in a process that runs, with its own connections. */
export async function examineRunning(app: Running): Promise<Finding[]> {
  const { config } = app;
  const found = await Promise.all([
    checkBucket(config),
    checkPool(config, app.pool, mainDatabase(config, app.pool.options.connectionString ?? '')),
    checkRunningStores(app),
    checkProviders({ ...app, log: createLog('silent') }),
    checkReceivers(config, app.providers),
    checkPrinter(config),
    checkIssuer(config),
  ]);
  const { dataDir } = config.storage;
  return [checkNode(), checkDataDir(dataDir), checkDisk(dataDir), ...found.flat()];
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return finding('node', ok, `Node ${process.versions.node}`, 'install Node 20.19 or newer');
}

function checkDataDir(dataDir: string): Finding {
  try {
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    return finding('data folder', true, `${dataDir} can be written`);
  } catch {
    return finding('data folder', false, `${dataDir} cannot be written`, 'create it or set DATA_DIR to one that can');
  }
}

function checkDisk(dataDir: string): Finding {
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    const free = bavail * bsize;
    const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    return finding('disk', free >= minFreeBytes, text, 'free some space: PostgreSQL stops when the disk is full');
  } catch {
    return finding('disk', false, 'free space unknown', 'create the data folder first');
  }
}

/** Stores, reads and deletes a file, because each needs its own permission. */
async function checkBucket(config: Config): Promise<Finding[]> {
  if (config.s3.bucket === undefined) return [];
  const files = openFiles(config, systemClock);
  const path = `doctor/${newId(systemClock.now())}`;
  try {
    await files.put(path, Buffer.from('pennypost doctor'));
    await files.get(path);
    await files.remove(path);
    return [finding('files', true, `bucket ${config.s3.bucket} can be read and written`)];
  } catch (error) {
    const cause = error instanceof Failure ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = error instanceof OperatorError ? '' : ': check the S3_ settings and the permissions of the access key';
    return [finding('files', false, `bucket ${config.s3.bucket}`, `${reason}${fix}`)];
  }
}

async function checkIssuer(config: Config): Promise<Finding[]> {
  const issuer = createOpenIdIssuer({ config, clock: systemClock }, config.urls.api);
  if (!issuer) return [];
  const name = 'single sign-on';
  try {
    await issuer.check();
    return [finding(name, true, `${config.singleSignOn.issuer} answers`)];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [finding(name, false, `${config.singleSignOn.issuer}: ${reason}`, 'check OIDC_ISSUER and the network')];
  }
}

async function checkProvidersAlone(
  config: Config,
  url: string,
  list: readonly ProviderDescriptor[],
): Promise<Finding[]> {
  const log = createLog('silent');
  const { db, close } = openDatabase({ url, poolSize: 1, log });
  const secrets = new SecretBox(config.encryption.keys);
  try {
    return await checkProviders({ config, providers: list, databaseOf: () => db, clock: systemClock, log, secrets });
  } finally {
    await close();
  }
}

/** Checks connections and credentials without sending a message. */
async function checkProviders(app: Parameters<typeof openTextProviders>[0]): Promise<Finding[]> {
  return Promise.all([
    ...openTextProviders(app).map((provider) => checkProvider('sms', provider)),
    ...openEmailProviders(app).map((provider) => checkProvider('email', provider)),
  ]);
}

async function checkProvider(
  channel: string,
  provider: Pick<Provider<never>, 'name' | 'check' | 'close'>,
): Promise<Finding> {
  const of = { provider: provider.name };
  try {
    if (!provider.check) {
      return { ...finding(channel, true, `${provider.name}: keeps messages in the outbox, none is sent`), ...of };
    }
    await Promise.race([provider.check(), tooLate()]);
    return { ...finding(channel, true, `${provider.name} can be reached`), ...of };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...finding(channel, false, provider.name, reason), ...of };
  } finally {
    await provider.close?.();
  }
}

/** Where providers report in another way than by webhook. */
async function checkReceivers(config: Config, list: readonly ProviderDescriptor[]): Promise<Finding[]> {
  const active = list.filter(({ name, channel }) => config[channel].providers.includes(name));
  const checks = active.flatMap((provider) => provider.receiverChecks?.(settingsOf(config, provider)) ?? []);
  return Promise.all(
    checks.map(async ({ name, check }) => {
      try {
        await Promise.race([check(), tooLate()]);
        return finding(name, true, 'can be read');
      } catch (error) {
        return finding(name, false, 'cannot be read', error instanceof Error ? error.message : String(error));
      }
    }),
  );
}

async function checkPrinter({ letters }: Config): Promise<Finding[]> {
  if (letters.handOff !== 'sftp') return [];
  try {
    await Promise.race([checkSftp(letters), tooLate()]);
    const reports = letters.sftpReportsFolder === undefined ? '' : ', and reports read';
    return [finding('printer', true, `letters can be uploaded${reports}`)];
  } catch (error) {
    return [finding('printer', false, 'SFTP', error instanceof Error ? error.message : String(error))];
  }
}

async function tooLate(): Promise<never> {
  await sleep(maxCheck_ms, undefined, { ref: false });
  throw new Error(`no response within ${maxCheck_ms / 1_000} s: look at the status page of the provider`);
}
