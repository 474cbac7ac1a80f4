import type { Seed } from '../platform/db/seed.ts';
import { insertMissingSweeps, sweeps } from './sweeps.sql.ts';

/** A sweep locks its row, so the row must exist. */
export const seedSweeps: Seed = (tx) => insertMissingSweeps(tx, sweeps);
