import { existsSync, readFileSync } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import type { AuthSettings } from '../auth/settings.ts';
import type { CountryProfile } from '../countries/profile.ts';
import { type Carriers, isAllSandbox, isSandboxInUse } from '../delivery/sandbox/sandbox.ts';
import type { DemoSettings } from '../delivery/settings.ts';
import { type GeneratedSecret, secretFile } from '../platform/secrets/generated-secrets.ts';
import type { HttpSettings, StorageSettings, Urls } from '../platform/settings.ts';
import type { Demo } from './demo.ts';

interface BannerConfig extends Carriers {
  http: Pick<HttpSettings, 'port'>;
  urls: Urls;
  auth: AuthSettings;
  storage: StorageSettings;
  demo: DemoSettings;
  console: { enabled: boolean };
  country: { profile: Pick<CountryProfile, 'phone'> };
}

interface BannerFacts {
  app: { config: BannerConfig };
  roles: { api: boolean };
  address: string;
  adminAddress: string;
  databaseLocation: string | undefined;
  /** Secrets that this start generated. They are only shown once. */
  generated: GeneratedSecret[];
  demo: Demo | undefined;
  /** The path of the page that sets up the console, including its code. Set while there is no administrator. */
  setUpPath: string | undefined;
  /** The script that npm runs, if npm has started this process. */
  npmScript: string | undefined;
}

/** Prints the addresses and first steps after startup. */
export function printBanner({
  app: { config },
  roles,
  databaseLocation,
  generated,
  demo,
  setUpPath,
  npmScript,
  ...facts
}: BannerFacts) {
  const [address, adminAddress] = [reachable(facts.address), reachable(facts.adminAddress)];
  const hasConsole = config.console.enabled && roles.api;
  // Links in messages use BASE_URL, and sessions and security keys are bound to one host name. BASE_URL lacks a port that the system has
  // chosen.
  const consoleAddress = `${config.http.port === 0 ? address : config.urls.api}/console`;
  const lines = [
    `Pennypost is listening on ${address}`,
    '',
    ...(hasConsole ? [`  Console         ${consoleAddress}`] : []),
    ...(hasConsole && setUpPath ? [`  Set it up       ${whereSetUpIs(consoleAddress, setUpPath)}`] : []),
    ...(adminAddress === address ? [] : [`  Admin API       ${adminAddress}`]),
    `  API reference   ${adminAddress}/docs`,
    `  Status          ${address}/status`,
    `  Metrics         ${adminAddress}/metrics`,
    `  Admin client    id ${config.auth.adminClientId}, secret ${whereSecretIs(config, generated)}`,
    `  Database        ${databaseLocation ? `embedded, in ${databaseLocation}` : 'DATABASE_URL'}`,
  ];
  // If stdout is not a terminal, it is probably a log, which must not contain a key.
  if (demo)
    lines.push(
      '',
      ...(process.stdout.isTTY ? firstMessage(address, demo, config) : [whereFirstMessageIs(config, npmScript)]),
    );
  if (demo && !config.demo.isOnlyHere && isSandboxInUse(config))
    lines.push(
      '',
      `Anyone who can reach ${config.urls.api} can read the sandbox at /outbox without signing in, because DEMO is on.`,
    );
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}

/** Anyone who reads the code can create the first account, so it must not be in a log that others read. */
function whereSetUpIs(consoleAddress: string, path: string): string {
  return process.stdout.isTTY ? `${consoleAddress}${path}` : `run: ${nameOf('console-link')}`;
}

/** A wildcard address cannot be requested, so it is replaced with this machine's name, as in the default of BASE_URL. */
export function reachable(address: string): string {
  return address.replace(/\/\/(0\.0\.0\.0|127\.0\.0\.1|\[::1?\])(?=:)/, '//localhost');
}

function whereSecretIs(config: BannerConfig, generated: GeneratedSecret[]): string {
  const fresh = generated.find(({ name }) => name === 'admin-client-secret');
  if (fresh) return `${fresh.value} (shown this once; kept in ${fresh.file})`;
  const file = secretFile(config.storage.dataDir, 'admin-client-secret');
  const kept = existsSync(file) && config.auth.adminClientSecrets.includes(readFileSync(file, 'utf8').trim());
  return kept ? `in ${file}` : 'from ADMIN_CLIENT_SECRETS';
}

function firstMessage(address: string, demo: Demo, config: BannerConfig): string[] {
  return [
    `Send a first text message (${whereItGoes(config)}):`,
    '',
    curl(address, demo, config),
    '',
    ...seeItAt(address, config),
  ];
}

function whereFirstMessageIs(config: BannerConfig, npmScript: string | undefined): string {
  const command = npmScript === 'start' || npmScript === 'dev' ? 'npm run demo' : nameOf('demo');
  return `${command} shows a ready-made curl command that sends a text message (${whereItGoes(config)}).`;
}

/** Returns the command as this program was started: with npx, as a global command, or from a clone. */
function nameOf(command: string): string {
  const [, program = ''] = process.argv;
  if (program.split(sep).includes('.bin')) return `npx pennypost ${command}`;
  return basename(program) === 'pennypost' ? `pennypost ${command}` : `node ${relative('', program)} ${command}`;
}

/** Returns the output of `pennypost demo`: the variables used in docs/guides/sending.md, and a first message. */
export function describeDemo(demo: Demo, address: string, config: BannerConfig): string {
  const { sms, email, letter } = demo.templates;
  return [
    `export PENNYPOST=${address}`,
    `export API_KEY=${demo.api_key}`,
    `export SMS_TEMPLATE=${sms} EMAIL_TEMPLATE=${email} LETTER_TEMPLATE=${letter}`,
    '',
    `# A first text message; ${whereItGoes(config)}.`,
    curl(address, demo, config),
    '',
    ...seeItAt(address, config).map((line) => `# ${line}`),
  ].join('\n');
}

function curl(address: string, demo: Demo, { country }: BannerConfig): string {
  const body = {
    phone_number: country.profile.phone.examples[0].replaceAll(' ', ''),
    template_id: demo.templates.sms,
    personalisation: { name: 'Ada', day: 'Friday' },
  };
  return `curl ${address}/v2/notifications/sms -H 'Authorization: Bearer ${demo.api_key}' -d '${JSON.stringify(body)}'`;
}

function whereItGoes(config: BannerConfig): string {
  return isAllSandbox(config)
    ? 'nothing leaves this machine until a provider is configured'
    : 'the key is a test key, so nothing is handed to a provider';
}

function seeItAt(address: string, config: BannerConfig): string[] {
  return isAllSandbox(config) ? [`See it at ${address}${config.console.enabled ? '/console/sandbox' : '/outbox'}`] : [];
}
