import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase } from './kit/database.ts';
import { type GeneratedFiles, generatedFiles, generatedPaths } from './kit/generated-files.ts';

let files: GeneratedFiles;

beforeAll(async () => {
  const database = await cloneDatabase();
  files = await generatedFiles(database.url);
  await database.drop();
  // Same as `npm run generate`, for callers that run this file directly.
  if (process.env.GENERATE) for (const path of generatedPaths) writeFileSync(path, files[path]);
});

describe('generated files are fresh', () => {
  it.each(generatedPaths)('%s', (path) => {
    expect(readFileSync(path, 'utf8'), `${path} is stale: run npm run generate`).toBe(files[path]);
  });
});
