import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase } from './kit/database.ts';
import { type GeneratedFiles, generatedFiles, generatedPaths } from './kit/generated-files.ts';

let files: GeneratedFiles;

beforeAll(async () => {
  const database = await cloneDatabase();
  files = await generatedFiles(database.url);
  await database.drop();
});

describe('generated files are fresh', () => {
  it.each(generatedPaths)('%s', (path) => {
    expect(readFileSync(path, 'utf8'), `${path} is stale: run npm run generate`).toBe(files[path]);
  });
});
