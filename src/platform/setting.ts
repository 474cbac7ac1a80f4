import { readFileSync } from 'node:fs';
import { isNetwork } from './http/networks.ts';

/** A declared setting: how to parse it, its default, and its documentation. */
interface Setting<T> {
  description: string;
  fallback: T;
  /** The default as documented, if the value itself would not help. */
  fallbackText?: string;
  /** Also read from the file named by `<NAME>_FILE`; never printed. */
  secret: boolean;
  /** Throws an Error whose message completes "<NAME> ...". */
  parse(text: string): T;
}

interface Options<T> {
  fallback: T;
  fallbackText?: string;
  secret?: boolean;
}

function setting<T>(description: string, options: Options<T>, parse: (text: string) => T): Setting<T> {
  return { description, secret: false, ...options, parse };
}

export function text(description: string, options: Options<string>): Setting<string> {
  return setting(description, options, (value) => value);
}

export function optionalText(description: string, options: Partial<Options<string | undefined>> = {}) {
  return setting<string | undefined>(description, { fallback: undefined, ...options }, (value) => value);
}

/** The value is not quoted in errors: it may contain a password. */
export function optionalUrl(
  description: string,
  beginnings: string[],
  options: Partial<Options<string | undefined>> = {},
) {
  return setting<string | undefined>(description, { fallback: undefined, ...options }, (value) => {
    if (!beginnings.some((beginning) => value.startsWith(beginning))) {
      throw new Error(`must begin with ${beginnings.join(' or ')}`);
    }
    // A database behind a socket may have no host: postgres://user@/name?host=/run/postgresql
    if (!URL.canParse(value.replace('@/', '@host/'))) {
      throw new Error('is not an address; in a password / is written %2F, # is %23 and ? is %3F');
    }
    return value;
  });
}

export function integer(
  description: string,
  options: Options<number> & { min: number; max?: number },
): Setting<number> {
  const { min, max = Number.MAX_SAFE_INTEGER, ...rest } = options;
  return setting(description, rest, (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${value}"`);
    }
    return number;
  });
}

export function flag<T extends boolean | undefined>(description: string, options: Options<T>): Setting<T | boolean> {
  return setting<T | boolean>(description, options, (value) => {
    if (/^(true|1|yes|on)$/i.test(value)) return true;
    if (/^(false|0|no|off)$/i.test(value)) return false;
    throw new Error(`must be true or false, not "${value}"`);
  });
}

export function oneOf<const T extends string>(
  description: string,
  values: readonly T[],
  options: Options<T>,
): Setting<T> {
  return setting(description, options, (value) => {
    const found = values.find((allowed) => allowed === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}, not "${value}"`);
    return found;
  });
}

export function list(description: string, options: Options<string[]>): Setting<string[]> {
  return setting(description, options, (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}

/** Addresses, and networks such as `10.0.0.0/8`. */
export function networks(description: string, options: Options<string[]>): Setting<string[]> {
  const texts = list(description, options);
  return setting(description, options, (value) => {
    const found = texts.parse(value);
    const wrong = found.find((text) => !isNetwork(text));
    if (wrong !== undefined) throw new Error(`must be addresses or networks such as 10.0.0.0/8, not "${wrong}"`);
    return found;
  });
}

export function listOf<const T extends string>(
  description: string,
  values: readonly T[],
  options: Options<T[]>,
): Setting<T[]> {
  return setting(description, options, (value) =>
    value.split(',').map((item) => {
      const found = values.find((allowed) => allowed === item.trim());
      if (found === undefined) throw new Error(`must be names out of ${values.join(', ')}, not "${value}"`);
      return found;
    }),
  );
}

/** `a:5,b:10` as a map of numbers. */
export function numbersByName(description: string, options: Options<Record<string, number>>) {
  return setting<Record<string, number>>(description, options, (value) =>
    Object.fromEntries(
      value.split(',').map((item) => {
        const [, name = '', number = ''] = /^\s*(\w+)\s*:\s*(\d+(?:\.\d+)?)\s*$/.exec(item) ?? [];
        if (!(Number(number) > 0)) throw new Error(`must be name:number pairs separated by commas, not "${value}"`);
        return [name, Number(number)];
      }),
    ),
  );
}

export function integers(description: string, options: Options<number[]>): Setting<number[]> {
  return setting(description, options, (value) =>
    value.split(',').map((item) => {
      const number = Number(item);
      if (item.trim() === '' || !Number.isInteger(number) || number < 0) {
        throw new Error(`must be whole numbers separated by commas, not "${value}"`);
      }
      return number;
    }),
  );
}

export function url(description: string, options: Options<string>): Setting<string> {
  return setting(description, options, (value) => {
    if (!/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')) {
      throw new Error(`must be an http or https address, not "${value}"`);
    }
    return value.replace(/\/+$/, '');
  });
}

export type Settings = Record<string, Setting<unknown>>;
export type Values<S extends Settings> = { [Name in keyof S]: S[Name] extends Setting<infer T> ? T : never };

/** Reads every setting and reports all problems at once. */
export function readSettings<S extends Settings>(
  settings: S,
  environment: Record<string, string | undefined>,
): { values: Values<S>; problems: string[] } {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    try {
      const given = givenText(name, setting, environment);
      values[name] = given === undefined ? setting.fallback : setting.parse(given);
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { values: values as Values<S>, problems };
}

/** Problems of settings that must be set together or not at all. */
export function problemsOfGroup(values: { [name: string]: unknown }, names: readonly string[]): string[] {
  const missing = names.filter((name) => values[name] === undefined);
  const given = names.find((name) => !missing.includes(name));
  return given === undefined ? [] : missing.map((name) => `${name} must be set when ${given} is set`);
}

function givenText(name: string, setting: Setting<unknown>, environment: Record<string, string | undefined>) {
  const direct = environment[name];
  const file = setting.secret ? environment[`${name}_FILE`] : undefined;
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
