import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cloneDatabase } from './kit/database.ts';
import { describeSchema } from './kit/describe-schema.ts';
import { describeSettings } from './kit/describe-settings.ts';
import { useHarness } from './kit/harness.ts';

/** `npm run generate` runs this file with GENERATE set: then it writes instead of comparing. */
function expectFresh(path: string, text: string): void {
  const file = new URL(`../${path}`, import.meta.url);
  if (process.env.GENERATE) writeFileSync(file, text);
  expect(readFileSync(file, 'utf8'), `${path} is stale: run npm run generate`).toBe(text);
}

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

describe('generated files are fresh', () => {
  it('row types and schema.sql', async () => {
    const database = await cloneDatabase();
    const { types, sql } = await describeSchema(database.url);
    await database.drop();
    expectFresh('src/platform/db/schema.ts', types);
    expectFresh('docs/schema.sql', sql);
  });

  it('configuration.md and .env.example', () => {
    const { markdown, env } = describeSettings();
    expectFresh('docs/configuration.md', markdown);
    expectFresh('.env.example', env);
  });

  it('openapi.json', () => {
    expectFresh('docs/openapi.json', `${JSON.stringify(harness.http.swagger(), null, 2)}\n`);
  });
});
