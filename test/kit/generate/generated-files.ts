import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/commands/read-config.ts';
import { formats } from '../../../src/operations/text-formats.ts';
import { buildServer } from '../../../src/platform/http/server.ts';
import { createLog } from '../../../src/platform/log.ts';
import { api, surfaces } from '../../../src/routes.ts';
import { describeSchema } from './describe-schema.ts';
import { describeSettings } from './describe-settings.ts';
import { hotStatements } from './hot-statements.ts';

export const generatedPaths = [
  'src/platform/db/schema.ts',
  'docs/schema.sql',
  'docs/configuration.md',
  '.env.example',
  'docs/openapi.json',
] as const;

/** One file for each prepared statement. */
export const statementsFolder = 'docs/sql';

/** Text by path, relative to the root of the repository. */
export type GeneratedFiles = Record<string, string>;

/** Every generated file. `npm run generate` writes them, test/generated.test.ts compares them. */
export async function generatedFiles(databaseUrl: string): Promise<GeneratedFiles> {
  const { types, sql } = await describeSchema(databaseUrl);
  const { markdown, env } = describeSettings();
  return {
    'src/platform/db/schema.ts': types,
    'docs/schema.sql': sql,
    'docs/configuration.md': markdown,
    '.env.example': env,
    'docs/openapi.json': await openApiDocument(),
    ...(await statementFiles()),
  };
}

/** The texts are built from parts and with parameters; here is what PostgreSQL gets. */
export async function statementFiles(): Promise<GeneratedFiles> {
  const statements = [...(await hotStatements())];
  return Object.fromEntries(statements.map(([name, text]) => [`${statementsFolder}/${name}.sql`, text]));
}

/** Needs no database: the application is built, but never opened. */
async function openApiDocument(): Promise<string> {
  const environment = {
    ADMIN_CLIENT_SECRETS: 'admin-secret-of-the-generator-which-is-long-enough',
    SECRET_KEY: 'secret-key-of-the-generator-which-is-long-enough',
    DATA_DIR: join(tmpdir(), 'pennypost-generate-unused'),
    DEMO: 'false',
  };
  const app = buildApp(readConfig(environment), { databaseUrl: 'postgres://unused', log: createLog('silent') });
  const http = await buildServer({ app, surfaces, formats, api: { ...api, version: 'test' } });
  await http.ready();
  const document = `${JSON.stringify(http.swagger(), null, 2)}\n`;
  await http.close();
  await app.close();
  return document;
}
