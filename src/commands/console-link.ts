import { buildApp } from '../app.ts';
import { consoleUrl } from '../console/links.ts';
import { setUpPath } from '../console/pages/start/set-up.ts';
import { prepareDatabase } from '../operations/country/installation.ts';
import { type Command, type Flags, print } from '../platform/command-line.ts';
import { OperatorError } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { seeds } from '../seeds.ts';
import { hasPlatformAdmin } from '../users/create-admin.ts';
import { createOperatorLink } from '../users/sign-in/operator-links.ts';
import { readConfig } from './read-config.ts';
import { withDatabase } from './with-database.ts';

export const consoleLink: Command = {
  more: [
    'The service can be running or stopped. Use its DATA_DIR, DATABASE_URL, SECRET_KEY and BASE_URL.',
    'Keep the link secret: anyone who has it can sign in.',
  ],
  flags: {
    for: { value: '<email>', description: 'Print a link for this account, which works once, within 30 minutes' },
  },
  run,
};

async function run(_args: string[], flags: Flags): Promise<void> {
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
    } finally {
      await app.close();
    }
  });
}
