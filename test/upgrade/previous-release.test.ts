import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { baseline, releases } from './previous-release.ts';

const read = (path: string) => readFileSync(path, 'utf8');

describe('the version', () => {
  const { version } = JSON.parse(read('package.json'));
  const versions = [...read('CHANGELOG.md').matchAll(/^## \[(\S+)\] - (?:Unreleased|\d{4}-\d{2}-\d{2})$/gm)].map(
    ([, name]) => name,
  );

  it('is the same in every file', () => {
    expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe(version);
    expect(read('packaging/helm/pennypost/Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
    expect(versions[0]).toBe(version);
  });

  it('is newer than every release, and upgrades are tested from the newest of them', () => {
    const sinceBaseline = versions.slice(0, versions.indexOf(baseline) + 1);
    expect(sinceBaseline.at(-1)).toBe(baseline);
    expect(releases.map((release) => release.version)).toEqual(sinceBaseline.slice(1).reverse());
  });
});
