import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type GeneratedFiles,
  generatedFiles,
  generatedPaths,
  statementsFolder,
} from './kit/generate/generated-files.ts';
import { cloneDatabase } from './kit/process/database.ts';

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

  it(`${statementsFolder}: every prepared statement, and no other`, () => {
    const stored = readdirSync(statementsFolder).map((name) => `${statementsFolder}/${name}`);
    const generated = Object.keys(files).filter((path) => path.startsWith(statementsFolder));
    expect(stored.sort(), `${statementsFolder} is stale: run npm run generate`).toEqual(generated.sort());
    for (const path of stored) expect(readFileSync(path, 'utf8'), path).toBe(files[path]);
  });

  it('every name of a prepared statement in the source is among them', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.sql.ts'),
    );
    const name = /\/\* prepared: ([\w-]+)|\.prepared<\w+>\('([\w-]+)'|storeStatement\('([\w-]+)'/g;
    const named = sources.flatMap((path) =>
      [...readFileSync(`src/${path}`, 'utf8').matchAll(name)].map((match) => match.slice(1).find(Boolean)),
    );
    expect(named.length).toBeGreaterThan(25);
    expect(named.filter((found) => !(`${statementsFolder}/${found}.sql` in files))).toEqual([]);
  });
});
