import { existsSync, readFileSync } from 'node:fs';
import { type Config, type GeneratedSecret, secretFile } from '../config.ts';
import type { Demo } from './demo.ts';

interface BannerFacts {
  app: { config: Config };
  address: string;
  databaseLocation: string | undefined;
  /** Secrets that this very start generated: they are shown this once. */
  generated: GeneratedSecret[];
  demo: Demo | undefined;
}

/** What someone who just started the server wants to know next. */
export function printBanner({ app: { config }, databaseLocation, generated, demo, ...facts }: BannerFacts): void {
  // Listening everywhere is no address that can be asked for.
  const address = facts.address.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//localhost');
  const lines = [
    `Pennypost is listening on ${address}`,
    '',
    `  API reference   ${address}/docs`,
    `  Status          ${address}/status`,
    `  Metrics         ${address}/metrics`,
    `  Admin client    id ${config.ADMIN_CLIENT_ID}, secret ${whereSecretIs(config, generated)}`,
    `  Database        ${databaseLocation ? `embedded, in ${databaseLocation}` : 'DATABASE_URL'}`,
  ];
  if (demo) lines.push('', ...firstMessage(address, demo));
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}

function whereSecretIs(config: Config, generated: GeneratedSecret[]): string {
  const fresh = generated.find(({ name }) => name === 'admin-client-secret');
  if (fresh) return `${fresh.value} (shown this once; kept in ${fresh.file})`;
  const file = secretFile(config.DATA_DIR, 'admin-client-secret');
  const kept = existsSync(file) && config.ADMIN_CLIENT_SECRETS.includes(readFileSync(file, 'utf8').trim());
  return kept ? `in ${file}` : 'from ADMIN_CLIENT_SECRETS';
}

function firstMessage(address: string, demo: Demo): string[] {
  const body = {
    phone_number: '07700900123',
    template_id: demo.templates.sms,
    personalisation: { name: 'Ada', day: 'Friday' },
  };
  return [
    'Send a first text message (nothing leaves this machine until a provider is configured):',
    '',
    `curl ${address}/v2/notifications/sms -H 'Authorization: Bearer ${demo.api_key}' -d '${JSON.stringify(body)}'`,
    '',
    `See it at ${address}/outbox`,
  ];
}
