import { isDeepStrictEqual } from 'node:util';
import { type Country, createCountry } from '../../countries/country.ts';
import { gb } from '../../countries/gb.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import { endMessages } from '../../delivery/sweeps.ts';
import { endUnfinishedJobs } from '../../jobs/unfinished-jobs.ts';
import { failLetters } from '../../letters/letter-retention.ts';
import { stopPlanMessages } from '../../plans/plan-messages.ts';
import { systemClock } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { openDatabase } from '../../platform/db/pool.ts';
import type { Seed } from '../../platform/db/seed.ts';
import { OperatorError } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Installation } from '../country/installation.sql.ts';
import { listDifferences, prepareDatabase, restoreLetterKind } from '../country/installation.ts';
import {
  countUnsent,
  emptyTables,
  isUnused,
  listAppliedMigrations,
  listTablesToKeep,
  lockForRestore,
  selectUnprintedLetters,
  selectUnsent,
  withForeignKeysCheckedAtTheEnd,
} from './backup.sql.ts';
import type { BackupOptions } from './backup.ts';
import { BackupFolder, type OpenedWith } from './backup-folder.ts';
import { loadDump, openDump, withClient } from './dump.ts';

interface RestoreOptions extends BackupOptions, OpenedWith {
  log: Log;
  country: Country;
  seeds: readonly Seed[];
  endUnsent?: boolean;
}

/** Restores into an unused database. A backup of an older release is loaded into its own schema and then migrated. */
export async function restore({
  url,
  dataDir,
  folder,
  say,
  log,
  country,
  seeds,
  endUnsent = false,
  ...opening
}: RestoreOptions): Promise<{ secrets: number }> {
  const source = await BackupFolder.open(folder, opening);
  let ofBackup = country;
  await withClient(url, async (client) => {
    const dump = await openDump(source);
    ofBackup = createCountry(refuseOtherCountry(dump.installation, country.profile));
    if (!(await isUnused(client))) throw new OperatorError('The database is in use: restore into an empty one.');
    if (!(await lockForRestore(client))) throw new OperatorError('The database is being restored by another command.');
    await migrate(url, log, { only: dump.migrations, seeds: [] });
    if ((await listAppliedMigrations(client)).join() !== dump.migrations.join()) {
      throw new OperatorError('The database has a newer schema than the backup: restore into an empty one.');
    }
    await client.query('begin');
    const tables = await listTablesToKeep(client);
    await emptyTables(
      client,
      tables.map(({ table }) => table),
    );
    await withForeignKeysCheckedAtTheEnd(client, () => loadDump(client, dump, { country: ofBackup, say }));
    await client.query('commit');
  });
  // Uses the country of the backup.
  await prepareDatabase(url, log, { profile: ofBackup.profile, seeds, isCommand: true });
  const { db, close } = openDatabase({ url, poolSize: 1, log });
  await restoreLetterKind(db).finally(close);
  if (endUnsent) await endUnsentMessages(url, log, ofBackup);
  await withClient(url, async (client) => {
    const { messages, letters, planned } = await countUnsent(client);
    if (messages + letters + planned === 0) return;
    say(`${messages} messages and ${letters} letters are waiting and will be sent as soon as a worker starts.`);
    if (planned > 0) say(`${planned} messages with a channel plan will go on with their next step.`);
    say('Messages sent after the backup was made will be sent again: restore with --end-unsent to prevent that.');
  });
  await source.restoreTo(dataDir, 'files');
  return { secrets: await source.restoreTo(dataDir, 'secrets') };
}

/**
 * Returns the profile of the backup, before anything is loaded. Settings without a country use it, because a restore often runs without the
 * server's settings. Other settings must have the same days, amounts and slots.
 */
function refuseOtherCountry(found: Installation | undefined, profile: CountryProfile): CountryProfile {
  if (found === undefined) return profile;
  const { country, zone, currency } = found;
  if (isDeepStrictEqual(profile, gb) || listDifferences(found, profile).length === 0) return found.profile;
  throw new OperatorError(
    `The backup is of the country ${country}, which counts days in ${zone} and amounts in ${currency}, and the settings say ${profile.code} (${profile.calendar.zone}, ${profile.money.currency}). Restore it with COUNTRY=${country} and the settings of its server. Nothing was loaded.`,
  );
}

const batch = 1_000;

/**
 * For a restored database whose service kept running after the backup: its waiting messages may have been sent since. They end as
 * technical-failure with a callback, so that none is sent twice or lost silently. Files that were being sent or were scheduled are
 * cancelled, and messages with a channel plan start no further step.
 */
async function endUnsentMessages(url: string, log: Log, country: Country): Promise<void> {
  const { db, close } = openDatabase({ url, poolSize: 1, log });
  const now = systemClock.now();
  try {
    await endUnfinishedJobs(db, now);
    await stopPlanMessages(db, now);
    for (;;) {
      const ids = await selectUnsent(db, batch);
      if (ids.length === 0) break;
      const changes = ids.map((id) => ({ id, status: 'technical-failure', event: 'givenUp' }) as const);
      await inTransaction(db, (tx) => endMessages(country, tx, changes, now));
    }
    for (;;) {
      const ids = await selectUnprintedLetters(db, batch);
      if (ids.length === 0) break;
      await inTransaction(db, (tx) => failLetters(country, tx, ids, now));
    }
  } finally {
    await close();
  }
}
