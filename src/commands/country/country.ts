import type { LoadedCountry } from '../../countries/loading/load-country.ts';
import { type Command, type Flags, print } from '../../platform/command-line.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { readCountry } from '../read-config.ts';

export const country: Command = {
  flags: { json: { description: 'Print the whole profile as JSON, as COUNTRY_FILE takes it, and the sources' } },
  more: [
    'show: every value of the profile, and its source: a setting, COUNTRY_FILE, or the code of a built-in profile.',
    'Settings count more than COUNTRY_FILE, and the file more than the profile that it extends.',
  ],
  run,
};

async function run([action = '']: string[], flags: Flags): Promise<void> {
  if (action !== 'show') throw new OperatorError('Usage: pennypost country show [--json]');
  const loaded = readCountry();
  print(flags.json ? asJson(loaded) : describeCountry(loaded).join('\n'));
}

function asJson({ profile, sources }: LoadedCountry): string {
  return JSON.stringify({ profile, sources: Object.fromEntries(sources) }, null, 2);
}

const maxWidth = 100;

/** One line for each value: its path, the value and its source. */
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
