import { readFileSync } from 'node:fs';
import { OperatorError } from './failure.ts';
import type { Setting } from './setting.ts';

export type Settings = Record<string, Setting<unknown>>;
export type Values<S extends Settings> = { [Key in keyof S]: S[Key] extends Setting<infer T> ? T : never };

/** Settings about one subject, with its heading in the documentation. */
export interface SettingGroup<S extends Settings = Settings> {
  title: string;
  settings: S;
}

export type SettingGroups = Record<string, SettingGroup>;
export type GroupValues<G extends SettingGroups> = {
  [Key in keyof G]: G[Key] extends SettingGroup<infer S> ? Values<S> : never;
};

type Environment = Record<string, string | undefined>;

export function group<S extends Settings>(title: string, settings: S): SettingGroup<S> {
  return { title, settings };
}

export class ConfigurationError extends OperatorError {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n  - ${problems.join('\n  - ')}`,
    );
    this.problems = problems;
  }
}

/** Reads every setting and reports all problems at once. A setting with a problem is undefined. */
export function readGroups<G extends SettingGroups>(
  groups: G,
  environment: Environment,
): { values: GroupValues<G>; problems: string[] } {
  const problems: string[] = [];
  const values = mapValues(groups, ({ settings }) => mapValues(settings, read));
  return { values: values as GroupValues<G>, problems };

  function read(setting: Setting<unknown>): unknown {
    try {
      const given = givenText(setting, environment);
      return given === undefined ? setting.fallback : setting.parse(given);
    } catch (error) {
      problems.push(`${setting.name} ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}

function mapValues<T, U>(table: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value)]));
}

/** Returns the environment variables of settings without a value. */
export function missingNames<S extends Settings>(
  settings: S,
  values: Partial<Values<S>>,
  keys: readonly (keyof S & string)[],
): string[] {
  const wanted = Object.entries(settings).filter(([key]) => keys.includes(key));
  return wanted.filter(([key]) => values[key] === undefined).map(([, { name }]) => name);
}

/** Reports settings that must be set together or not at all. */
export function problemsOfPartlySet<S extends Settings>(
  settings: S,
  values: Partial<Values<S>>,
  keys: readonly (keyof S & string)[],
): string[] {
  const missing = missingNames(settings, values, keys);
  const given = Object.entries(settings).find(([key]) => keys.includes(key) && values[key] !== undefined);
  return given === undefined ? [] : missing.map((name) => `${name} must be set when ${given[1].name} is set`);
}

function givenText({ name, secret }: Setting<unknown>, environment: Environment): string | undefined {
  const direct = environment[name];
  const file = secret ? environment[`${name}_FILE`] : undefined;
  if (direct && file) throw new Error(`and ${name}_FILE are both set: keep one`);
  if (file) {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw new Error(
        `cannot be read from the file in ${name}_FILE: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  return direct === '' ? undefined : direct;
}
