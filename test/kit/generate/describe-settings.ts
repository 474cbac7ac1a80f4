import { settingGroups } from '../../../src/config.ts';
import type { Setting } from '../../../src/platform/setting.ts';

/** The environment variables of every setting. */
export const settingNames = sections(settingGroups()).flatMap(({ settings }) => settings.map(({ name }) => name));

/** docs/configuration.md and .env.example, from the groups of settings. */
export function describeSettings(groups = settingGroups()): { markdown: string; env: string } {
  const described = sections(groups);
  const tables = described.map(
    ({ title, settings }) => `## ${title}

| Setting | Default | Meaning |
|---|---|---|
${settings.map(tableRow).join('\n')}
`,
  );
  const markdown = `# Configuration

Settings come from the environment. All problems are reported together at start. This page is generated from
\`src/config.ts\` by \`npm run generate\`.

${tables.join('\n')}`;
  const env = described.map(
    ({ title, settings }) => `# ----- ${title} -----\n\n${settings.map(commentedOut).join('\n')}`,
  );
  return { markdown, env: env.join('\n') };
}

function sections({ general, ofProviders }: ReturnType<typeof settingGroups>) {
  return [...Object.values(general), ...Object.values(ofProviders)].map(({ title, settings }) => ({
    title,
    settings: Object.values<Setting<unknown>>(settings),
  }));
}

function tableRow(setting: Setting<unknown>): string {
  const { name, description, fallbackText, secret } = setting;
  const text = defaultOf(setting);
  const fallback = fallbackText ?? (text === '' ? '(unset)' : `\`${text}\``);
  return `| \`${name}\` | ${fallback} | ${description}${secret ? ` Also read from the file named by \`${name}_FILE\`.` : ''} |`;
}

function commentedOut(setting: Setting<unknown>): string {
  const { name, description, fallbackText } = setting;
  return `# ${description}\n# ${name}=${fallbackText === undefined ? defaultOf(setting) : ''}\n`;
}

function defaultOf({ fallback, format }: Setting<unknown>): string {
  return fallback === undefined ? '' : format(fallback);
}
