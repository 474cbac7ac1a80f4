import { settings as builtIn } from '../../src/config.ts';

/** docs/configuration.md and .env.example, from the table of settings. */
export function describeSettings(settings = builtIn): { markdown: string; env: string } {
  const rows = Object.entries(settings).map(([name, { description, fallback, fallbackText, secret }]) => ({
    name,
    description,
    secret,
    fallback: fallbackText ?? (fallback === undefined ? '' : [fallback].flat().join(',')),
    literal: fallbackText === undefined,
  }));
  const table = rows.map(
    ({ name, description, fallback, secret, literal }) =>
      `| \`${name}\` | ${fallback === '' ? '(unset)' : literal ? `\`${fallback}\`` : fallback} | ${description}${
        secret ? ` Also read from the file named by \`${name}_FILE\`.` : ''
      } |`,
  );
  const markdown = `# Configuration

Settings come from the environment. All problems are reported together at start. This page is generated from
\`src/config.ts\` by \`npm run generate\`.

| Setting | Default | Meaning |
|---|---|---|
${table.join('\n')}
`;
  const env = rows.map(
    ({ name, description, fallback, literal }) => `# ${description}\n# ${name}=${literal ? fallback : ''}\n`,
  );
  return { markdown, env: env.join('\n') };
}
