import { type Config, settings } from '../config.ts';

/** Every setting with its value in the format of environment variables; secrets are masked. */
export function listSettings(config: Config): string[] {
  const values: Record<string, unknown> = config;
  return Object.entries(settings).map(([name, { secret }]) => {
    const value = values[name];
    return `${name}=${value === undefined ? '' : secret ? '(set, not shown)' : asSetting(value)}`;
  });
}

function asSetting(value: unknown): string {
  const table = typeof value === 'object' && value !== null && !Array.isArray(value);
  return table
    ? Object.entries(value)
        .map((pair) => pair.join(':'))
        .join(',')
    : [value].flat().join(',');
}
