import { isDeepStrictEqual } from 'node:util';
import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { deleteSeededPrices, hasOwnRates } from '../../billing/rates.ts';
import { createCountry } from '../../countries/country.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import type { Languages } from '../../language/languages.ts';
import { dropUnusedPartitions } from '../../notifications/partitions.ts';
import { recreateLetterKind } from '../../notifications/rollups/letter-kind.shared.sql.ts';
import { timestamp } from '../../platform/clock.ts';
import type { Actor } from '../../platform/db/actor.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { migrate } from '../../platform/db/migrate.ts';
import type { Seed } from '../../platform/db/seed.ts';
import { OperatorError } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import {
  hasMessages,
  type Installation,
  insertInstallation,
  knowsZone,
  selectInstallation,
  updateInstallation,
} from './installation.sql.ts';

interface PrepareOptions {
  profile: CountryProfile;
  seeds: readonly Seed[];
  wait_ms?: number;
  languages?: Languages;
  /** Set for commands, whose environment may lack the server's settings: they use the country in the database. */
  isCommand?: boolean;
}

/** Migrates and seeds after comparing the country with that of the database. A refusal changes nothing in the database. */
export async function prepareDatabase(url: string, log: Log, options: PrepareOptions): Promise<string[]> {
  const { seeds, wait_ms, languages, isCommand = false } = options;
  const country = async (db: Db) => {
    const stored = await selectInstallation(db);
    const profile = (isCommand ? stored?.profile : undefined) ?? options.profile;
    if (!(await knowsZone(db, profile.calendar.zone))) throw new UnknownToPostgres(profile.calendar.zone);
    await compareCountry(db, stored, profile);
    return createCountry(profile);
  };
  return migrate(url, log, { seeds, country, languages, ...(wait_ms !== undefined && { wait_ms }) });
}

/** The row of this installation. Must be the first seed, because others insert rows that depend on the country. */
export const seedInstallation: Seed = async (tx, now, { profile }) => {
  const stored = await selectInstallation(tx);
  const chosen = { country: profile.code, zone: profile.calendar.zone, currency: profile.money.currency, profile };
  const postage = slotsOf(profile);
  if (!stored) {
    await recreateLetterKind(tx, profile.postage.classes);
    return insertInstallation(tx, { ...chosen, postage }, timestamp(now));
  }
  const { isRewritten, zoneDiffers } = await compareCountry(tx, stored, profile);
  const next: Installation = { ...chosen, postage: isRewritten ? postage : { ...stored.postage, ...postage } };
  if (isSame(stored, next)) return;
  if (isRewritten) await deleteSeededPrices(tx);
  if (zoneDiffers) await dropUnusedPartitions(tx);
  if (!isDeepStrictEqual(stored.postage, next.postage)) await recreateLetterKind(tx, listClasses(next));
  await updateInstallation(tx, next, isRewritten ? timestamp(now) : undefined);
  await recordChange(tx, stored.profile, profile, now);
};

/**
 * Recreates the function that maps postage to slots. A restore only loads rows, and migrations create the function with the slots of the
 * United Kingdom.
 */
export async function restoreLetterKind(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    const stored = await selectInstallation(tx);
    if (stored) await recreateLetterKind(tx, listClasses(stored));
  });
}

function isSame(stored: Installation, next: Installation): boolean {
  // Serialised as in the database, without undefined values.
  return isDeepStrictEqual(stored, { ...JSON.parse(JSON.stringify(next)) });
}

/** Includes classes that the profile no longer has, because their letters stay in the slots where they were counted. */
function listClasses({ postage }: Installation): { id: string; slot: number }[] {
  return Object.entries(postage).map(([id, slot]) => ({ id, slot }));
}

export function slotsOf({ postage }: Pick<CountryProfile, 'postage'>): Record<string, number> {
  return Object.fromEntries(postage.classes.map(({ id, slot }) => [id, slot]));
}

/**
 * The values that stored keys depend on cannot change while rows have such keys. Throws an error for the operator, or returns whether the
 * database still has no messages and no custom rates, so that everything can change.
 */
export async function compareCountry(
  db: Db | Tx,
  stored: Installation | undefined,
  profile: CountryProfile,
): Promise<{ isRewritten: boolean; zoneDiffers: boolean }> {
  if (!stored) return { isRewritten: false, zoneDiffers: false };
  const zoneDiffers = stored.zone !== profile.calendar.zone;
  const differences = listDifferences(stored, profile);
  if (differences.length === 0) return { isRewritten: false, zoneDiffers };
  const hasData = (await hasMessages(db)) || (await hasOwnRates(db, stored.profile));
  if (!hasData) return { isRewritten: true, zoneDiffers };
  throw new OtherCountry(stored, differences);
}

/** Returns sentences about the differing values that stored keys depend on. */
export function listDifferences(stored: Installation, { calendar, money, ...profile }: CountryProfile): string[] {
  const moved = movedClasses(stored.postage, slotsOf(profile));
  return [
    ...(stored.zone === calendar.zone ? [] : [zoneSentence(stored.zone, calendar.zone)]),
    ...(stored.currency === money.currency ? [] : [currencySentence(stored.currency, money.currency)]),
    ...moved.map(({ slot, before, now }) => slotSentence(slot, before, now)),
  ];
}

function movedClasses(before: Record<string, number>, now: Record<string, number>) {
  const inSlot = new Map(Object.entries(before).map(([id, slot]) => [slot, id]));
  return Object.entries(now).flatMap(([id, slot]) => {
    const other = inSlot.get(slot);
    if (other !== undefined && other !== id) return [{ slot, before: other, now: id }];
    const old = Object.hasOwn(before, id) ? before[id] : undefined;
    return old !== undefined && old !== slot ? [{ slot: old, before: id, now: 'no class' }] : [];
  });
}

const zoneSentence = (stored: string, wanted: string) =>
  `This installation counts days in ${stored}, not in ${wanted} (calendar.zone). Set TIME_ZONE=${stored}, or change it with \`pennypost country change --zone ${wanted}\`.`;
const currencySentence = (stored: string, wanted: string) =>
  `Its amounts are in ${stored}, not in ${wanted} (money.currency), and nothing converts them. Set CURRENCY=${stored}.`;
const slotSentence = (slot: number, before: string, now: string) =>
  `Slot ${slot} counts the letters of ${before}, and cannot be that of ${now} (postage.classes). Give new classes free slots in COUNTRY_FILE, or move letters with \`pennypost country change --postage\`.`;

class OtherCountry extends OperatorError {
  constructor({ country }: Installation, sentences: string[]) {
    super(
      [
        `The database was used with the country ${country}, and has messages or rates of its own:`,
        ...sentences.map((sentence) => `  - ${sentence}`),
        'To begin again in another country, use an empty database. Nothing was changed.',
      ].join('\n'),
    );
  }
}

class UnknownToPostgres extends OperatorError {
  constructor(zone: string) {
    super(
      `PostgreSQL does not know the time zone ${zone} (calendar.zone): update its tzdata, or choose a zone that both know. Nothing was changed.`,
    );
  }
}

const maxFields = 50;

/** Records all other changes of the profile, with the changed fields only. */
async function recordChange(tx: Tx, before: CountryProfile, after: CountryProfile, now: Date): Promise<void> {
  const changed = changedPaths(before, after).slice(0, maxFields);
  if (changed.length === 0) return;
  const values = (key: 'before' | 'after') =>
    Object.fromEntries(changed.map((field) => [field.path, field[key] ?? null]));
  const actor: Actor = { type: 'command', client: 'start', at: timestamp(now) };
  await recordAuditEntry(
    tx,
    { action: 'update', noun: 'installation', thing_id: after.code, before: values('before'), after: values('after') },
    JSON.stringify(actor),
  );
}

interface ChangedField {
  path: string;
  before: unknown;
  after: unknown;
}

/** Returns the fields in which two profiles differ, such as `letter.cutOff`. Lists are compared as a whole. */
export function changedPaths(before: unknown, after: unknown, path = ''): ChangedField[] {
  if (!isPlain(before) || !isPlain(after)) {
    return isDeepStrictEqual(before, after) ? [] : [{ path, before, after }];
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => changedPaths(before[key], after[key], path === '' ? key : `${path}.${key}`));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
