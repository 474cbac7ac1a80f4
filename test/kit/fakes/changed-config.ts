import type { Config } from '../../../src/config.ts';

type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T]?: DeepPartial<T[Key]> }
    : T;

/** Settings that differ, by group. */
export type ConfigChanges = DeepPartial<Config>;

/** A copy of the configuration with the changes merged into its groups. */
export function changedConfig(config: Config, ...changes: ConfigChanges[]): Config {
  return changes.reduce<object>(merged, config) as Config;
}

function merged(before: object, changes: object): object {
  const known = before as Record<string, unknown>;
  const changed = Object.entries(changes).map(([key, value]) => {
    const old = known[key];
    return [key, isTable(old) && isTable(value) ? merged(old, value) : value];
  });
  return { ...before, ...Object.fromEntries(changed) };
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
