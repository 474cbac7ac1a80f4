import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { digestOf, recorded, version } from './releases.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const changes = [...read('CHANGELOG.md').matchAll(/^## \[(\S+)\] - (Unreleased|\d{4}-\d{2}-\d{2})$/gm)];

it('the version is the same in every file', () => {
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe(version);
  expect(read('packaging/helm/pennypost/Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
  expect(changes[0]?.[1]).toBe(version);
});

it('the newest release in the changelog is the recorded one', () => {
  expect(recorded?.version).toBe(changes.find(([, , date]) => date !== 'Unreleased')?.[1]);
});

it('every released migration is unchanged', () => {
  const released = recorded?.migrations ?? {};
  const present = Object.keys(released).filter((name) => existsSync(join('migrations', name)));
  expect(Object.fromEntries(present.map((name) => [name, digestOf(name)]))).toEqual(released);
});
