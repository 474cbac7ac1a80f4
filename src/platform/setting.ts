import { isIP } from 'node:net';
import { day_ms, hour_ms } from './clock.ts';
import { type ServerRole, urlsOfHosts } from './db/servers/database-hosts.ts';
import { isNetwork, listenAddress } from './http/networks.ts';
import { parseFernetKey } from './secrets/fernet.ts';

/** A declared setting: its environment variable, how to parse it, its default, and its documentation. */
export interface Setting<T> {
  /** The environment variable. */
  name: string;
  description: string;
  fallback: T;
  /** How the documentation describes the default, if its value would not help. */
  fallbackText?: string;
  /** Also read from the file named by `<NAME>_FILE`; never printed. */
  secret: boolean;
  /** Throws an Error whose message completes "<NAME> ...". */
  parse(text: string): T;
  /** The value as written in the environment. */
  format(value: T): string;
}

interface Options<T> {
  fallback: T;
  fallbackText?: string;
  secret?: boolean;
}

function setting<T>(
  name: string,
  description: string,
  options: Options<T>,
  parse: (text: string) => T,
  format: (value: T) => string = String,
): Setting<T> {
  return { name, description, secret: false, ...options, parse, format };
}

export function text(name: string, description: string, options: Options<string>): Setting<string> {
  return setting(name, description, options, (value) => value);
}

export function optionalText(name: string, description: string, options: Partial<Options<string | undefined>> = {}) {
  return setting<string | undefined>(name, description, { fallback: undefined, ...options }, (value) => value);
}

/** The address that a server listens on. */
export function optionalAddress(name: string, description: string) {
  const parse = (value: string) => {
    const address = listenAddress(value);
    if (!address) throw new Error(`must be an address and a port such as 0.0.0.0:25, not "${value}"`);
    return address;
  };
  const format = (value: ReturnType<typeof listenAddress>) => (value ? `${value.host}:${value.port}` : '');
  return setting(name, description, { fallback: undefined }, parse, format);
}

/** Errors do not quote the value, because it may contain a password. */
export function optionalUrl(
  name: string,
  description: string,
  beginnings: string[],
  options: Partial<Options<string | undefined>> = {},
) {
  return setting<string | undefined>(name, description, { fallback: undefined, ...options }, (value) => {
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

/** A key shared with another program. */
export function fernetKey(name: string, description: string): Setting<Buffer | undefined> {
  const options = { fallback: undefined, secret: true };
  const parse = (value: string) => {
    const key = parseFernetKey(value);
    if (!key) throw new Error('must be 32 bytes in URL-safe base64, such as Fernet.generate_key() returns');
    return key;
  };
  return setting<Buffer | undefined>(name, description, options, parse, (key) => `${key?.toString('base64url')}=`);
}

/** A URL of PostgreSQL, with one or more hosts. */
export function databaseUrl(
  name: string,
  description: string,
  role: ServerRole = 'primary',
): Setting<string | undefined> {
  const ofOneHost = optionalUrl(name, description, ['postgres://', 'postgresql://'], { secret: true });
  const parse = (value: string) => {
    for (const url of urlsOfHosts(value, role)) ofOneHost.parse(url);
    return value;
  };
  return { ...ofOneHost, parse };
}

export const integer = wholeNumber(1);

/** In seconds in the environment, including `fallback` and the limits; in milliseconds as a value. */
export const seconds = wholeNumber(1_000);
export const hours = wholeNumber(hour_ms);
export const days = wholeNumber(day_ms);

/** In megabytes in the environment; in bytes as a value. */
export const megabytes = wholeNumber(1024 * 1024);

function wholeNumber(unit: number) {
  return (
    name: string,
    description: string,
    options: Options<number> & { min: number; max?: number },
  ): Setting<number> => {
    const { min, max = Number.MAX_SAFE_INTEGER, fallback, ...rest } = options;
    const parse = (value: string) => {
      const number = Number(value);
      if (!Number.isInteger(number) || number < min || number > max) {
        throw new Error(`must be a whole number from ${min} to ${max}, not "${value}"`);
      }
      return number * unit;
    };
    return setting(name, description, { ...rest, fallback: fallback * unit }, parse, (value) => String(value / unit));
  };
}

/** A number between 0 and 1. */
export function share(name: string, description: string, options: Options<number>): Setting<number> {
  return setting(name, description, options, (value) => {
    const number = value.trim() === '' ? Number.NaN : Number(value);
    if (!(number >= 0 && number <= 1)) throw new Error(`must be a number from 0 to 1, not "${value}"`);
    return number;
  });
}

/** `name=value` pairs of HTTP headers with percent-encoded values. Errors do not quote them, because they are secret. */
export function headers(name: string, description: string): Setting<Record<string, string>> {
  const options = { fallback: {}, fallbackText: '(unset)', secret: true };
  return setting<Record<string, string>>(name, description, options, (value) =>
    Object.fromEntries(
      value.split(',').map((item) => {
        // Allow only what headers can contain: ASCII without control characters.
        const [, key, text = ''] = /^\s*([\w-]+)\s*=\s*((?:%[2-7][0-9a-f]|[!-$&-~])+)\s*$/i.exec(item) ?? [];
        if (key === undefined) throw new Error('must be name=value pairs separated by commas');
        return [key, decodeURIComponent(text)];
      }),
    ),
  );
}

/** A list of durations, in seconds in the environment and in milliseconds as a value. */
export function secondsList(name: string, description: string, options: Options<number[]>): Setting<number[]> {
  const toMilliseconds = (numbers: number[]) => numbers.map((number) => number * 1_000);
  const parse = (value: string) =>
    value.split(',').map((item) => {
      const number = Number(item);
      if (item.trim() === '' || !Number.isInteger(number) || number < 0) {
        throw new Error(`must be whole numbers separated by commas, not "${value}"`);
      }
      return number;
    });
  return setting(
    name,
    description,
    { ...options, fallback: toMilliseconds(options.fallback) },
    (value) => toMilliseconds(parse(value)),
    (values) => values.map((value_ms) => value_ms / 1_000).join(','),
  );
}

export function flag<T extends boolean | undefined>(
  name: string,
  description: string,
  options: Options<T>,
): Setting<T | boolean> {
  return setting<T | boolean>(name, description, options, (value) => {
    if (/^(true|1|yes|on)$/i.test(value)) return true;
    if (/^(false|0|no|off)$/i.test(value)) return false;
    throw new Error(`must be true or false, not "${value}"`);
  });
}

export function oneOf<const T extends string>(
  name: string,
  description: string,
  values: readonly T[],
  options: Options<T>,
): Setting<T> {
  return setting(name, description, options, (value) => {
    const found = values.find((allowed) => allowed === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}, not "${value}"`);
    return found;
  });
}

export function list(name: string, description: string, options: Options<string[]>): Setting<string[]> {
  return setting(name, description, options, (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}

export function optionalList(name: string, description: string, options: Partial<Options<string[] | undefined>> = {}) {
  const { parse } = list(name, description, { fallback: [] });
  return setting<string[] | undefined>(name, description, { fallback: undefined, ...options }, parse);
}

/** A list of addresses and networks such as `10.0.0.0/8`. */
export function networks(name: string, description: string, options: Options<string[]>): Setting<string[]> {
  const texts = list(name, description, options);
  return setting(name, description, options, (value) => {
    const found = texts.parse(value);
    const wrong = found.find((text) => !isNetwork(text));
    if (wrong !== undefined) throw new Error(`must be addresses or networks such as 10.0.0.0/8, not "${wrong}"`);
    return found;
  });
}

/** A list of IP addresses; with `ports`, each may have one: `192.0.2.1:5353`, `[2001:db8::1]:5353`. */
export function addresses(
  name: string,
  description: string,
  { ports = false, ...options }: Options<string[]> & { ports?: boolean },
) {
  const texts = list(name, description, options);
  return setting(name, description, options, (value) => {
    const found = texts.parse(value);
    const wrong = found.find((text) => {
      const [, six, four] = /^(?:\[([^\]]+)\]|([\d.]+)):\d{1,5}$/.exec(text) ?? [];
      return isIP(ports ? (six ?? four ?? text) : text) === 0;
    });
    if (wrong !== undefined) throw new Error(`must be addresses such as 192.0.2.1, not "${wrong}"`);
    return found;
  });
}

export function listOf<const T extends string>(
  name: string,
  description: string,
  values: readonly T[],
  options: Options<T[]>,
): Setting<T[]> {
  return setting(name, description, options, (value) =>
    value.split(',').map((item) => {
      const found = values.find((allowed) => allowed === item.trim());
      if (found === undefined) throw new Error(`must be names out of ${values.join(', ')}, not "${value}"`);
      return found;
    }),
  );
}

/** Parses `a:5,b:10` into numbers by name. */
export function numbersByName(name: string, description: string, options: Options<Record<string, number>>) {
  return setting<Record<string, number>>(
    name,
    description,
    options,
    (value) =>
      Object.fromEntries(
        value.split(',').map((item) => {
          const [, key = '', number = ''] = /^\s*([\w-]+)\s*:\s*(\d+(?:\.\d+)?)\s*$/.exec(item) ?? [];
          if (!(Number(number) > 0)) throw new Error(`must be name:number pairs separated by commas, not "${value}"`);
          return [key, Number(number)];
        }),
      ),
    (values) =>
      Object.entries(values)
        .map((pair) => pair.join(':'))
        .join(','),
  );
}

export function url<T extends string | undefined>(name: string, description: string, options: Options<string | T>) {
  return setting<string | T>(name, description, options, (value) => {
    if (!/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')) {
      throw new Error(`must be an http or https address, not "${value}"`);
    }
    return value.replace(/\/+$/, '');
  });
}
