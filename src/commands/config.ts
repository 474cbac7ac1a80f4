import { type Config, settingGroups } from '../config.ts';
import { type Command, print } from '../platform/command-line.ts';
import type { SettingGroups } from '../platform/setting-groups.ts';
import { readConfig } from './read-config.ts';

export const config: Command = {
  run,
};

async function run(): Promise<void> {
  for (const line of listSettings(readConfig())) print(line);
}

type Values = Record<string, Record<string, unknown>>;

/** Lists every setting with its value in the format of environment variables. Secrets are masked. */
export function listSettings(config: Config): string[] {
  const { general, ofProviders } = settingGroups();
  return [...linesOf(general, config), ...linesOf(ofProviders, config.providers)];
}

function linesOf(groups: SettingGroups, values: Values): string[] {
  return Object.entries(groups).flatMap(([group, { settings }]) =>
    Object.entries(settings).map(([key, { name, secret, format }]) => {
      const value = values[group]?.[key];
      return `${name}=${value === undefined ? '' : secret ? '(set, not shown)' : format(value)}`;
    }),
  );
}
