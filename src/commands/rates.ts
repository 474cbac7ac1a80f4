import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { importRatesAbroad } from '../billing/rates-abroad.ts';
import { createCountry } from '../countries/country.ts';
import { selectInstallation } from '../operations/country/installation.sql.ts';
import { prepareDatabase } from '../operations/country/installation.ts';
import { systemClock } from '../platform/clock.ts';
import { type Command, type Flags, print } from '../platform/command-line.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { OperatorError } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { seeds } from '../seeds.ts';
import { readConfig } from './read-config.ts';
import { withDatabase } from './with-database.ts';

export const rates: Command = {
  flags: { 'dry-run': { description: 'check the file, print what would change, change nothing' } },
  more: [
    'import reads what texts to other countries cost, from a csv file (or tsv, xlsx, ods) with the columns',
    '  prefix          a country calling code such as 49, or 1:JM for one of several countries that share a code',
    '  multiplier      how many texts at home a text there costs, from 1 to 1000; empty where a rate ends',
    '  receipts        whether delivery receipts of the networks there can be believed: yes (the default) or no',
    '  numeric_sender  whether networks there take numbers only as senders: yes or no (the default)',
    '  from            the first day, such as 2027-04-01',
    'The service can run meanwhile. A rate of the same prefix and day is replaced; all others stay. Every problem is listed',
    'with its line, and then nothing is changed. Texts that were accepted before keep their price.',
  ],
  run,
};

async function run([action = '', file = '']: string[], flags: Flags): Promise<void> {
  if (action !== 'import') throw new OperatorError('Usage: pennypost rates import <file> [--dry-run]');
  const dryRun = flags['dry-run'] !== undefined;
  const config = readConfig();
  const log = createLog('silent');
  await withDatabase(config, async (url) => {
    const { profile } = config.country;
    await prepareDatabase(url, log, { profile, seeds, wait_ms: config.database.wait_ms, isCommand: true });
    const { db, close } = openDatabase({ url, poolSize: 1, log });
    try {
      const stored = await selectInstallation(db);
      const country = createCountry(stored?.profile ?? profile);
      const bytes = createReadStream(file);
      const result = await importRatesAbroad(
        { db, clock: systemClock, country },
        { name: basename(file), bytes },
        { dryRun },
      );
      const { added, changed, unchanged } = result;
      print(
        `${dryRun ? 'Would add' : 'Added'} ${added}, ${dryRun ? 'change' : 'changed'} ${changed}, left ${unchanged} as they were.`,
      );
    } finally {
      await close();
    }
  });
}
