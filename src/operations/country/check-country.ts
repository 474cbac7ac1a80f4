import type { CountryProfile } from '../../countries/profile.ts';
import type { Db } from '../../platform/db/database.ts';
import { isDatabaseUnavailable } from '../../platform/db/errors.ts';
import { openDatabase } from '../../platform/db/pool.ts';
import { OperatorError } from '../../platform/failure.ts';
import { createLog } from '../../platform/log.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { selectInstallation } from './installation.sql.ts';
import { changedPaths, compareCountry } from './installation.ts';

const name = 'country';

/** Returns what an operator should know about the country before the next start. */
export async function checkCountry(profile: CountryProfile, url: string): Promise<Finding[]> {
  const { db, close } = openDatabase({ url, poolSize: 1, log: createLog('silent') });
  try {
    return await checkStored(db, profile);
  } catch (error) {
    // Another finding reports this.
    if (isDatabaseUnavailable(error)) return [];
    throw error;
  } finally {
    await close();
  }
}

async function checkStored(db: Db, profile: CountryProfile): Promise<Finding[]> {
  const stored = await selectInstallation(db);
  try {
    await compareCountry(db, stored, profile);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [finding(name, false, 'the next start will be refused', error.message)];
  }
  const changed = stored ? changedPaths(stored.profile, profile) : [];
  if (changed.length === 0) return [];
  const paths = changed.map(({ path }) => path).join(', ');
  const description = `the next start changes ${paths}, and records it in the audit log`;
  return [{ name, ok: true, is_warning: true, description }];
}
