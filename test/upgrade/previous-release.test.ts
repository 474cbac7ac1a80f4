import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { previousRelease } from './previous-release.ts';

const read = (path: string) => readFileSync(path, 'utf8');

describe('the version', () => {
  const { version } = JSON.parse(read('package.json'));
  const released = [...read('CHANGELOG.md').matchAll(/^## (\S+)$/gm)].map(([, name]) => name);

  it('is the same in every file', () => {
    expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe(version);
    expect(read('packaging/helm/pennypost/Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
    expect(released[0]).toBe(version);
  });

  it('is newer than the release that upgrades are tested from', () => {
    expect(released[1]).toBe(previousRelease.version);
  });
});
