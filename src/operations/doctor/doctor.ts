import { X509Certificate } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { createCountry } from '../../countries/country.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import type { ProviderDescriptor } from '../../delivery/providers/descriptor.ts';
import type { Provider } from '../../delivery/providers/provider.ts';
import { providers } from '../../delivery/providers/providers.ts';
import {
  openEmailProviders,
  openTextProviders,
  type ProvidersConfig,
  settingsOf,
} from '../../delivery/providers/settings.ts';
import type { InletSettings } from '../../inlet/settings.ts';
import { findUnknownKeys } from '../../language/load-languages.ts';
import { checkSftp } from '../../letters/print/check-sftp.ts';
import type { PrintSettings } from '../../letters/settings.ts';
import { day_ms, systemClock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/db/pool.ts';
import { Failure, OperatorError } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import { createLog } from '../../platform/log.ts';
import type { Platform } from '../../platform/platform.ts';
import { SecretBox } from '../../platform/secrets/secrets.ts';
import type { DatabaseSettings, EncryptionSettings, ObjectStoreSettings } from '../../platform/settings.ts';
import { openFiles } from '../../platform/storage/open-files.ts';
import { createVirusScanner } from '../../platform/storage/virus-scan.ts';
import type { FrontEndSettings } from '../../protocol/settings.ts';
import { createOpenIdIssuer } from '../../users/sign-in/single-sign-on/openid.ts';
import type { SingleSignOnSettings } from '../../users/sign-in/single-sign-on/settings.ts';
import { checkCountry } from '../country/check-country.ts';
import { diskFolders, diskSpace } from '../system-metrics.ts';
import { checkDatabase, checkPool, evaluateStandby } from './database.ts';
import { checkDomains } from './domains.ts';
import { type Finding, failedFinding, finding, inTime } from './finding.ts';
import { checkLetters } from './letters.ts';

export type DoctorConfig = ProvidersConfig & {
  database: DatabaseSettings;
  encryption: EncryptionSettings;
  s3: ObjectStoreSettings;
  letters: PrintSettings;
  inlet: InletSettings;
  frontEnd: FrontEndSettings;
  singleSignOn: SingleSignOnSettings;
  country: { profile: CountryProfile; languagesDir: string | undefined };
};

const minFreeBytes = 1024 ** 3;

/**
 * Checks the requirements of a start. The checks are independent, so that one run finds every problem, and concurrent, because each may
 * wait for a server that does not respond.
 */
export async function examine(
  config: DoctorConfig,
  url: string,
  list: readonly ProviderDescriptor[] = providers,
): Promise<Finding[]> {
  const country = createCountry(config.country.profile);
  const found = await Promise.all([
    checkBucket(config),
    checkDatabase(config, url, country.calendar),
    checkCountry(config.country.profile, url),
    checkProvidersAlone(config, url, list),
    checkDomainsAlone(url),
    checkReceivers(config, list),
    checkPrinter(config),
    checkLetters(country, systemClock.now()),
    checkScanner(config),
    checkIssuer(config),
  ]);
  return [
    checkNode(),
    checkDataDir(config.storage.dataDir),
    ...checkDisks(config),
    ...checkTranslations(config.country),
    ...checkInlet(config.inlet, systemClock.now()),
    ...checkFrontEnd(config.frontEnd),
    ...found.flat(),
  ];
}

/**
 * Checks for translations of unknown texts. Wrong translations already prevent a start; those whose source text an update has changed are
 * only no longer shown.
 */
function checkTranslations({ profile, languagesDir }: DoctorConfig['country']): Finding[] {
  if (languagesDir === undefined) return [];
  const unknown = findUnknownKeys(languagesDir, profile.languages);
  if (unknown.length === 0) return [finding('languages', true, `every text in ${languagesDir} exists`)];
  const shown = unknown.slice(0, 5).map((text) => `“${text}”`);
  const more = unknown.length > shown.length ? ` and ${unknown.length - shown.length} more` : '';
  const description = `${languagesDir} translates texts that do not exist: ${shown.join(', ')}${more}. Compare them with languages/messages.pot`;
  return [{ ...finding('languages', true, description), is_warning: true }];
}

interface Running extends Platform {
  config: DoctorConfig;
  providers: readonly ProviderDescriptor[];
}

/** Runs the same checks in a running process, with its own connections. */
export async function examineRunning(app: Running): Promise<Finding[]> {
  const { config } = app;
  const found = await Promise.all([
    checkBucket(config),
    checkPool(config, app),
    checkProviders({ ...app, log: createLog('silent') }),
    checkDomains(app.db),
    checkReceivers(config, app.providers),
    checkPrinter(config),
    checkScanner(config),
    checkIssuer(config),
  ]);
  const now = app.clock.now();
  const local = [checkNode(), checkDataDir(config.storage.dataDir), ...checkDisks(config)];
  const inlet = checkInlet(config.inlet, now);
  const letters = checkLetters(app.country, now);
  return [...local, ...inlet, ...found.flat(), ...letters, ...evaluateStandby(app.standby, app.clock)];
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

/** Checks the disk of the data folder, and the disk of the embedded database if it is elsewhere. */
function checkDisks(config: DoctorConfig): Finding[] {
  return diskFolders(config).map(({ folder, path }) => {
    const name = folder === 'data' ? 'disk' : 'database disk';
    try {
      const { free_bytes } = diskSpace(path);
      const text = `${(free_bytes / 1024 ** 3).toFixed(1)} GiB free`;
      const ok = free_bytes >= minFreeBytes;
      return finding(name, ok, text, 'free some space: PostgreSQL stops when the disk is full, and files get a 503');
    } catch {
      return finding(name, false, 'free space unknown', 'create the data folder first');
    }
  });
}

/** Stores, reads and deletes a file, because each needs a separate permission. */
async function checkBucket(config: DoctorConfig): Promise<Finding[]> {
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

async function checkIssuer(config: DoctorConfig): Promise<Finding[]> {
  const issuer = createOpenIdIssuer({ config, clock: systemClock }, config.urls.api);
  if (!issuer) return [];
  const name = 'single sign-on';
  try {
    await issuer.check();
    return [finding(name, true, `${config.singleSignOn.issuer} responds`)];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [finding(name, false, `${config.singleSignOn.issuer}: ${reason}`, 'check OIDC_ISSUER and the network')];
  }
}

async function checkProvidersAlone(
  config: DoctorConfig,
  url: string,
  list: readonly ProviderDescriptor[],
): Promise<Finding[]> {
  const log = createLog('silent');
  const { db, close } = openDatabase({ url, poolSize: 1, log });
  const secrets = new SecretBox(config.encryption.keys);
  try {
    return await checkProviders({ config, providers: list, db, clock: systemClock, log, secrets });
  } finally {
    await close();
  }
}

/** A database that is unreachable or not migrated has its own findings. */
async function checkDomainsAlone(url: string): Promise<Finding[]> {
  const { db, close } = openDatabase({ url, poolSize: 1, log: createLog('silent') });
  try {
    return await checkDomains(db);
  } catch {
    return [];
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
    await inTime(provider.check());
    return { ...finding(channel, true, `${provider.name} can be reached`), ...of };
  } catch (error) {
    const failed = failedFinding(channel, provider.name, error);
    return {
      ...failed,
      ...of,
      ...(failed.is_unfinished && { description: `${provider.name}: ${failed.description}` }),
    };
  } finally {
    await provider.close?.();
  }
}

/** Checks the receivers of providers whose reports do not arrive by webhook. */
async function checkReceivers(config: DoctorConfig, list: readonly ProviderDescriptor[]): Promise<Finding[]> {
  const active = list.filter(({ name, channel }) => config[channel].providers.includes(name));
  const checks = active.flatMap((provider) => provider.receiverChecks?.(settingsOf(config, provider)) ?? []);
  return Promise.all(
    checks.map(async ({ name, check }) => {
      try {
        await inTime(check());
        return finding(name, true, 'can be read');
      } catch (error) {
        return failedFinding(name, 'cannot be read', error);
      }
    }),
  );
}

async function checkPrinter({ letters }: DoctorConfig): Promise<Finding[]> {
  if (letters.handOff !== 'sftp') return [];
  try {
    await inTime(checkSftp(letters));
    const reports = letters.sftpReportsFolder === undefined ? '' : ', and reports read';
    return [finding('printer', true, `letters can be uploaded${reports}`)];
  } catch (error) {
    return [failedFinding('printer', 'SFTP', error)];
  }
}

/** Longer than the timeout of a check, so a slow scan is reported as unfinished. */
const maxScan_ms = 6_000;

/** Scans a few bytes as if they were an uploaded file. */
async function checkScanner({ storage }: DoctorConfig): Promise<Finding[]> {
  if (storage.clamavAddress === undefined) return [];
  const name = 'virus scanner';
  try {
    await inTime(createVirusScanner({ clamav: storage.clamavAddress, timeout_ms: maxScan_ms }).check());
    return [finding(name, true, `ClamAV at ${storage.clamavAddress} scans files`)];
  } catch (error) {
    return [
      failedFinding(name, `ClamAV at ${storage.clamavAddress} cannot scan, so requests with files get a 503`, error),
    ];
  }
}

const renewInletBefore_ms = 14 * day_ms;
const renewInlet = 'renew SMTP_INLET_TLS_CERT and restart, or software cannot send over SMTP';

/** Checks the certificate of the SMTP inlet, if it has one. */
function checkInlet({ listen, certificate }: InletSettings, now: Date): Finding[] {
  if (!listen || certificate === undefined) return [];
  const name = 'smtp inlet';
  const until = new Date(new X509Certificate(certificate).validTo);
  const date = until.toISOString().slice(0, 10);
  if (until <= now) return [finding(name, false, `the certificate expired on ${date}`, renewInlet)];
  const isSoon = until.getTime() - now.getTime() < renewInletBefore_ms;
  if (isSoon)
    return [{ ...finding(name, true, `the certificate expires on ${date}: ${renewInlet}`), is_warning: true }];
  return [finding(name, true, `the certificate is valid until ${date}`)];
}

/** The front end of Notify decrypts the tokens in links itself. */
function checkFrontEnd({ shapes, linkTokenKey }: FrontEndSettings): Finding[] {
  if (shapes === 'standard') return [];
  const todo = "set LINK_TOKEN_KEY to the front end's TOKEN_SECRET_KEY";
  const found = linkTokenKey
    ? 'links carry tokens that it can read'
    : 'its pages show “page not found” for links in messages';
  return [finding('front end', linkTokenKey !== undefined, found, todo)];
}
