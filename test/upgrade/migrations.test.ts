import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrationFiles } from '../../src/platform/db/migrate.ts';
import { digestOf, recorded, version } from './releases.ts';

/**
 * Expand and contract: while processes are restarted one after the other, the previous version works on the new schema. So
 * a migration only adds; unused columns and tables are dropped a release later, and then listed here with the reason why no
 * running version uses them.
 */
const contractions: Record<string, string> = {};

const forbidden: { rule: string; pattern: RegExp }[] = [
  { rule: 'drops what a running version may read', pattern: /\bdrop\s+(table|column|view|type|schema|function)\b/i },
  { rule: 'renames what a running version may read', pattern: /\brename\s+(to|column|constraint|value)\b/i },
  { rule: 'changes the type of a column', pattern: /\balter\s+column\s+\w+\s+(set\s+data\s+)?type\b/i },
  { rule: 'asks for a value that a running version does not write', pattern: /\bset\s+not\s+null\b/i },
  { rule: 'takes away a default that a running version needs', pattern: /\bdrop\s+default\b/i },
  {
    rule: 'adds a column that a running version does not fill',
    pattern: /\badd\s+column\s+(?![^,;]*\b(default|generated)\b)[^,;]*\bnot\s+null\b/i,
  },
];

/** New and upgraded databases apply migrations in the same order: the numbers have no gap and no duplicate. */
function misnumbered(names: string[]): string[] {
  return names.filter(
    (name, index) => !new RegExp(`^${String(index + 1).padStart(4, '0')}_[a-z0-9_]+\\.sql$`).test(name),
  );
}

function breaches(sql: string): string[] {
  const code = sql.replaceAll(/--.*$/gm, '');
  return forbidden.filter(({ pattern }) => pattern.test(code)).map(({ rule }) => rule);
}

describe('migrations', () => {
  it('are numbered from 1 without gaps', () => {
    expect(misnumbered(migrationFiles())).toEqual([]);
  });

  it.each([
    ['a gap', ['0001_users.sql', '0003_keys.sql'], ['0003_keys.sql']],
    ['a duplicate', ['0001_users.sql', '0001_zebras.sql', '0002_keys.sql'], ['0001_zebras.sql', '0002_keys.sql']],
    ['another form', ['1_users.sql'], ['1_users.sql']],
  ])('would not be numbered correctly: %s', (_, names, expected) => {
    expect(misnumbered(names)).toEqual(expected);
  });

  it('leave the running version working', () => {
    const found = migrationFiles()
      .filter((name) => !(name in contractions))
      .flatMap((name) => breaches(readFileSync(join('migrations', name), 'utf8')).map((breach) => `${name} ${breach}`));
    expect(found).toEqual([]);
  });

  it.each([
    'drop table complaints;',
    'alter table users drop column name;',
    'alter table users rename column name to full_name;',
    'alter table users rename to people;',
    'alter table users alter column name type varchar(10);',
    'alter table users alter column name set not null;',
    'alter table users\n  add column a integer not null default 0,\n  add column b text not null;',
  ])('would not pass: %s', (sql) => {
    expect(breaches(sql)).toHaveLength(1);
  });

  it.each([
    '-- drop table complaints',
    'alter table users add column a integer not null default 0, add column b text;',
    'create table fresh (id uuid primary key, name text not null);',
    'drop index users_by_name;',
  ])('would pass: %s', (sql) => {
    expect(breaches(sql)).toEqual([]);
  });
});

describe('releases', () => {
  const read = (path: string) => readFileSync(path, 'utf8');
  const changes = [...read('CHANGELOG.md').matchAll(/^## \[(\S+)\] - (Unreleased|\d{4}-\d{2}-\d{2})$/gm)];

  it('have the same version in every file', () => {
    expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe(version);
    expect(read('packaging/helm/pennypost/Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
    expect(changes[0]?.[1]).toBe(version);
  });

  it('are recorded', () => {
    expect(recorded?.version).toBe(changes.find(([, , date]) => date !== 'Unreleased')?.[1]);
  });

  it('never change their migrations', () => {
    const released = recorded?.migrations ?? {};
    const present = Object.keys(released).filter((name) => existsSync(join('migrations', name)));
    expect(Object.fromEntries(present.map((name) => [name, digestOf(name)]))).toEqual(released);
  });
});
