import { type Config, secretFile } from '../config.ts';

interface BannerFacts {
  app: { config: Config };
  address: string;
  databaseLocation: string | undefined;
}

/** What someone who just started the server wants to know next. */
export function printBanner({ app: { config }, address, databaseLocation }: BannerFacts): void {
  const generated = !process.env.ADMIN_CLIENT_SECRETS && !process.env.ADMIN_CLIENT_SECRETS_FILE;
  const lines = [
    `Pennypost is listening on ${address}`,
    '',
    `  API reference   ${address}/docs`,
    `  Status          ${address}/status`,
    `  Metrics         ${address}/metrics`,
    `  Admin client    id ${config.ADMIN_CLIENT_ID}, secret ${
      generated ? `in ${secretFile(config.DATA_DIR, 'admin-client-secret')}` : 'from ADMIN_CLIENT_SECRETS'
    }`,
    `  Database        ${databaseLocation ? `embedded, in ${databaseLocation}` : 'DATABASE_URL'}`,
  ];
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}
