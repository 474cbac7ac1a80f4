import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Config, isAllSandbox } from '../config.ts';
import { type GeneratedSecret, secretFile } from '../platform/secrets/generated-secrets.ts';
import type { Demo } from './demo.ts';

interface BannerFacts {
  app: { config: Config };
  address: string;
  adminAddress: string;
  databaseLocation: string | undefined;
  /** Secrets that this very start generated: they are shown this once. */
  generated: GeneratedSecret[];
  demo: Demo | undefined;
}

/** What someone who just started the server wants to know next. */
export function printBanner({ app: { config }, databaseLocation, generated, demo, ...facts }: BannerFacts): void {
  const [address, adminAddress] = [reachable(facts.address), reachable(facts.adminAddress)];
  const lines = [
    `Pennypost is listening on ${address}`,
    '',
    ...(adminAddress === address ? [] : [`  Admin API       ${adminAddress}`]),
    `  API reference   ${adminAddress}/docs`,
    `  Status          ${address}/status`,
    `  Metrics         ${adminAddress}/metrics`,
    `  Admin client    id ${config.ADMIN_CLIENT_ID}, secret ${whereSecretIs(config, generated)}`,
    `  Database        ${databaseLocation ? `embedded, in ${databaseLocation}` : 'DATABASE_URL'}`,
  ];
  // What is not a terminal is a log, and a log holds no key.
  if (demo)
    lines.push('', ...(process.stdout.isTTY ? firstMessage(address, demo, config) : whereFirstMessageIs(config)));
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}

/** Listening everywhere is no address that can be asked for. */
export function reachable(address: string): string {
  return address.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//localhost');
}

function whereSecretIs(config: Config, generated: GeneratedSecret[]): string {
  const fresh = generated.find(({ name }) => name === 'admin-client-secret');
  if (fresh) return `${fresh.value} (shown this once; kept in ${fresh.file})`;
  const file = secretFile(config.DATA_DIR, 'admin-client-secret');
  const kept = existsSync(file) && config.ADMIN_CLIENT_SECRETS.includes(readFileSync(file, 'utf8').trim());
  return kept ? `in ${file}` : 'from ADMIN_CLIENT_SECRETS';
}

function firstMessage(address: string, demo: Demo, config: Config): string[] {
  return [
    `Send a first text message (${whereItGoes(config)}):`,
    '',
    curl(address, demo),
    '',
    ...seeItAt(address, config),
  ];
}

function whereFirstMessageIs(config: Config): string[] {
  const program = relative('', process.argv[1] ?? '');
  return [
    `To send a first text message (${whereItGoes(config)}), run what this prints, key included:`,
    '',
    `node ${program} demo`,
  ];
}

/** What `pennypost demo` prints: the names that docs/guides/sending.md uses, and a first message. */
export function describeDemo(demo: Demo, address: string, config: Config): string {
  const { sms, email, letter } = demo.templates;
  return [
    `export PENNYPOST=${address}`,
    `export API_KEY=${demo.api_key}`,
    `export SMS_TEMPLATE=${sms} EMAIL_TEMPLATE=${email} LETTER_TEMPLATE=${letter}`,
    '',
    `# A first text message; ${whereItGoes(config)}.`,
    curl(address, demo),
    '',
    ...seeItAt(address, config).map((line) => `# ${line}`),
  ].join('\n');
}

function curl(address: string, demo: Demo): string {
  const body = {
    phone_number: '07700900123',
    template_id: demo.templates.sms,
    personalisation: { name: 'Ada', day: 'Friday' },
  };
  return `curl ${address}/v2/notifications/sms -H 'Authorization: Bearer ${demo.api_key}' -d '${JSON.stringify(body)}'`;
}

function whereItGoes(config: Config): string {
  return isAllSandbox(config)
    ? 'nothing leaves this machine until a provider is configured'
    : 'the key is a test key, so nothing is handed to a provider';
}

function seeItAt(address: string, config: Config): string[] {
  return isAllSandbox(config) ? [`See it at ${address}/outbox`] : [];
}
