import { type App, buildApp } from '../app.ts';
import type { Config } from '../config.ts';
import { consoleUrl } from '../console/links.ts';
import { setUpPath } from '../console/pages/start/set-up.ts';
import { prepareDatabase } from '../operations/country/installation.ts';
import { timestamp } from '../platform/clock.ts';
import { type Command, type Flags, print } from '../platform/command-line.ts';
import { type Actor, actAs } from '../platform/db/actor.ts';
import { OperatorError } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { seeds } from '../seeds.ts';
import { createFirstAdmin, hasPlatformAdmin } from '../users/create-admin.ts';
import { createOperatorLink } from '../users/sign-in/operator-links.ts';
import { readConfig } from './read-config.ts';
import { withDatabase } from './with-database.ts';

export const createAdmin: Command = {
  more: [
    'For example: pennypost create-admin "Ada Lovelace" ada@example.org 07700900123',
    'The service can be running or stopped. Use its DATA_DIR, DATABASE_URL, SECRET_KEY and ADMIN_BASE_URL.',
    'The link works once, within an hour. For a new link, run the command again with the same email address.',
  ],
  run: runCreateAdmin,
};

async function runCreateAdmin([name = '', email_address = '', mobile_number = '']: string[]): Promise<void> {
  const config = readConfig();
  await withApp(config, async (app) => {
    const actor: Actor = { type: 'command', client: 'create-admin', at: timestamp(app.clock.now()) };
    const link = await actAs(actor, () => createFirstAdmin(app, { name, email_address, mobile_number }));
    print(
      `${email_address} is a platform administrator. Open this link within an hour to set the password:\n\n${link}\n`,
    );
    print(
      'The link opens the administrative front end (ADMIN_BASE_URL). Keep the link secret: anyone who has it can set the password.',
    );
  });
}

export const consoleLink: Command = {
  more: [
    'The service can be running or stopped. Use its DATA_DIR, DATABASE_URL, SECRET_KEY and BASE_URL.',
    'Keep the link secret: anyone who has it can sign in.',
  ],
  flags: {
    for: { value: '<email>', description: 'Print a link for this account, which works once, within 30 minutes' },
  },
  run: printLink,
};

async function printLink(_args: string[], flags: Flags): Promise<void> {
  const config = readConfig();
  await withApp(config, async (app) => {
    const email = flags.for?.at(-1);
    if (email !== undefined) {
      print(`${consoleUrl(config)}/link/${await createOperatorLink(app, email)}`);
      return;
    }
    if (await hasPlatformAdmin(app.db)) {
      throw new OperatorError(
        'The console is already set up. For a person who is locked out, run: pennypost console-link --for <email>',
      );
    }
    print(`${consoleUrl(config)}${setUpPath(app)}`);
  });
}

async function withApp(config: Config, work: (app: App) => Promise<void>): Promise<void> {
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
      await work(app);
    } finally {
      await app.close();
    }
  });
}
