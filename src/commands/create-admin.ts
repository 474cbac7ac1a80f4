import { buildApp } from '../app.ts';
import { readConfig } from '../config.ts';
import type { Command } from '../platform/command-line.ts';
import { migrate } from '../platform/db/migrate.ts';
import { createLog } from '../platform/log.ts';
import { createFirstAdmin } from '../users/create-admin.ts';
import { print } from './print.ts';
import { withDatabase } from './with-database.ts';

export const createAdmin: Command = {
  description: 'Create the first platform administrator, and print a link to choose the password',
  more: [
    'For example: pennypost create-admin "Ada Lovelace" ada@example.org 07700900123',
    'While the service runs or not; with its DATA_DIR, DATABASE_URL, SECRET_KEY and ADMIN_BASE_URL.',
    'The link works for an hour and until a password is chosen. Run it again with the same address for a new link.',
  ],
  takes: '<name> <email> <mobile>',
  run,
};

async function run([name = '', email_address = '', mobile_number = '']: string[]): Promise<void> {
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
