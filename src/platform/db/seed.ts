import type { Country } from '../../countries/country.ts';
import type { Languages } from '../../language/languages.ts';
import type { Tx } from './database.ts';

/**
 * Inserts missing rows that every database has. Some differ between countries, and some are translated. Runs after the migrations at each
 * start, one process at a time, so it must be idempotent and keep what an operator has changed.
 */
export type Seed = (tx: Tx, now: Date, country: Country, languages: Languages) => Promise<void>;

/** Seeded rows are older than all others, regardless of when they were seeded. */
export const seededAt = new Date('2000-01-01T00:00:00Z');
