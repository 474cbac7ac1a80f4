import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

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
});
