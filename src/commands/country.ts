import type { LoadedCountry } from '../countries/loading/load-country.ts';
import { changePostage, changeZone, refuseWhileInUse } from '../operations/country/change-country.ts';
import { systemClock } from '../platform/clock.ts';
import { type Command, type Flags, print } from '../platform/command-line.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { OperatorError } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { readConfig, readCountry } from './read-config.ts';
import { withDatabase } from './with-database.ts';

export const country: Command = {
  flags: {
    json: { description: 'show: print the whole profile as JSON, as COUNTRY_FILE takes it, and the sources' },
    zone: { value: '<time zone>', description: 'change: the zone in which days begin from now on' },
    postage: { description: 'change: give the classes of postage the slots that the settings of this command say' },
  },
  more: [
    'show: every value of the profile, and its source: a setting, COUNTRY_FILE, or the code of a built-in profile.',
    'Settings count more than COUNTRY_FILE, and the file more than the profile that it extends.',
    'change: counts days in another zone. Stop every process first, then start with the new TIME_ZONE. Messages that are',
    'still stored move to their day in the new zone; counts of older days stay, and every sum is the same as before.',
    'With --postage, letters move to the slots that COUNTRY or COUNTRY_FILE give to their classes. A class that is no longer',
    'there keeps a free slot if it has letters.',
    'Interrupted, it has changed nothing. The currency of a database with messages cannot change.',
  ],
  run,
};

async function run([action = '']: string[], flags: Flags): Promise<void> {
  if (action === 'change') return change(flags);
  if (action !== 'show') {
    throw new OperatorError(
      'Usage: pennypost country show [--json], or pennypost country change --zone <time zone> | --postage',
    );
  }
  const loaded = readCountry();
  print(flags.json ? asJson(loaded) : describeCountry(loaded).join('\n'));
}

async function change(flags: Flags): Promise<void> {
  const [zone, ...others] = flags.zone ?? [];
  const movesLetters = flags.postage !== undefined;
  if ((zone === undefined) !== movesLetters || others.length > 0) {
    throw new OperatorError(
      'Name the zone in which days begin from now on: pennypost country change --zone Europe/Amsterdam. Or move letters to other slots: pennypost country change --postage',
    );
  }
  const config = readConfig();
  await withDatabase(config, async (url) => {
    const { db, close } = openDatabase({ url, poolSize: 1, log: createLog('silent') });
    try {
      await refuseWhileInUse(db);
      if (zone === undefined) {
        const { slots, letters } = await changePostage({ db, clock: systemClock }, config.country.profile);
        const pairs = Object.entries(slots).map(([id, slot]) => `${id} ${slot}`);
        print(`The slots are ${pairs.join(', ')}. All ${letters} letters are counted as before.`);
        return;
      }
      const { first_day, old_zone, messages } = await changeZone({ db, clock: systemClock }, zone);
      print(`From ${first_day} on, days are counted in ${zone}; before that, in ${old_zone}.`);
      print(`All ${messages} messages are counted as before. Set TIME_ZONE=${zone}, then start the service.`);
    } finally {
      await close();
    }
  });
}

function asJson({ profile, sources }: LoadedCountry): string {
  return JSON.stringify({ profile, sources: Object.fromEntries(sources) }, null, 2);
}

const maxWidth = 100;

/** Returns one line for each value: its path, the value and its source. */
export function describeCountry({ profile, sources }: LoadedCountry): string[] {
  const rows = [...sources].map(([path, source]) => ({ path, value: shortened(valueAt(profile, path)), source }));
  const widest = (texts: string[]) => Math.max(...texts.map((text) => text.length)) + 2;
  const [ofPath, ofValue] = [widest(rows.map(({ path }) => path)), widest(rows.map(({ value }) => value))];
  return [
    `${profile.name} (${profile.code})`,
    ...rows.map(({ path, value, source }) => `${path.padEnd(ofPath)}${value.padEnd(ofValue)}${source}`),
  ];
}

function valueAt(profile: object, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], profile);
}

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxWidth ? text : `${text.slice(0, maxWidth - 1)}…`;
}
