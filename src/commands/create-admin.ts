import { buildApp } from '../app.ts';
import { prepareDatabase } from '../operations/country/installation.ts';
import { timestamp } from '../platform/clock.ts';
import { type Command, print } from '../platform/command-line.ts';
import { type Actor, actAs } from '../platform/db/actor.ts';
import { createLog } from '../platform/log.ts';
import { seeds } from '../seeds.ts';
import { createFirstAdmin } from '../users/create-admin.ts';
import { readConfig } from './read-config.ts';
import { withDatabase } from './with-database.ts';

export const createAdmin: Command = {
  more: [
    'For example: pennypost create-admin "Ada Lovelace" ada@example.org 07700900123',
    'The service can be running or stopped. Use its DATA_DIR, DATABASE_URL, SECRET_KEY and ADMIN_BASE_URL.',
    'The link works once, within an hour. For a new link, run the command again with the same email address.',
  ],
  run,
};

async function run([name = '', email_address = '', mobile_number = '']: string[]): Promise<void> {
  const config = readConfig();
  const log = createLog('silent');
  await withDatabase(config, async (url) => {
    // The service may never have run.
    await prepareDatabase(url, log, {
      profile: config.country.profile,
      seeds,
      wait_ms: config.database.wait_ms,
      isCommand: true,
    });
    const app = buildApp(config, { databaseUrl: url, log });
    try {
      const actor: Actor = { type: 'command', client: 'create-admin', at: timestamp(app.clock.now()) };
      const link = await actAs(actor, () => createFirstAdmin(app, { name, email_address, mobile_number }));
      print(
        `${email_address} is a platform administrator. Open this link within an hour to set the password:\n\n${link}\n`,
      );
      print(
        'The link opens the administrative front end (ADMIN_BASE_URL). Keep the link secret: anyone who has it can set the password.',
      );
    } finally {
      await app.close();
    }
  });
}
