import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { backup, restore } from '../src/operations/backup.ts';
import { migrate, migrationFiles } from '../src/platform/db/migrate.ts';
import { buildServer } from '../src/platform/http/server.ts';
import { createLog } from '../src/platform/log.ts';
import { formats, surfaces } from '../src/routes.ts';
import { databaseNamed } from './kit/database-url.ts';
import { adminSecret } from './kit/harness.ts';
import { jwt } from './kit/jwt.ts';

/**
 * Expand and contract: while processes are restarted one after the other, the previous version works on the new schema. So
 * a migration adds; what is no longer used is removed a release later, and then named here with the release that stopped
 * using it.
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

function breaches(sql: string): string[] {
  const code = sql.replaceAll(/--.*$/gm, '');
  return forbidden.filter(({ pattern }) => pattern.test(code)).map(({ rule }) => rule);
}

describe('migrations', () => {
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

/** The schema of an earlier time, and what a version of that time wrote. */
const earlier = '0010_platform_service.sql';
const user = '0199a0a4-2f0b-7c55-b0a7-000000000001';
const service = '0199a0a4-2f0b-7c55-b0a7-000000000002';
const then = '2026-01-01T00:00:00Z';
const writesOfThatTime = [
  `insert into users (id, name, email_address, mobile_number, password_hash, state, email_access_validated_at,
     password_changed_at, created_at)
   values ('${user}', 'Ada', 'ada@example.org', '07700900460', 'none', 'active', '${then}', '${then}', '${then}')`,
  `insert into services (id, name, normalised_name, restricted, permissions, email_message_limit, sms_message_limit,
     letter_message_limit, international_sms_message_limit, email_sender_local_part, created_at, created_by_id)
   values ('${service}', 'Early', 'early', false, '{sms}', 50, 50, 50, 50, 'early', '${then}', '${user}')`,
  `insert into service_members (service_id, user_id, permissions, created_at)
   values ('${service}', '${user}', '{manage_settings}', '${then}')`,
];

const log = createLog('silent');

async function query(url: string, ...texts: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
}

async function emptyDatabase(): Promise<string> {
  const server = inject('databaseUrl');
  const name = `upgrade_${randomBytes(6).toString('hex')}`;
  await query(server, `create database ${name}`);
  onTestFinished(() => query(server, `drop database ${name} with (force)`));
  return databaseNamed(server, name);
}

async function expectServiceIsServed(url: string): Promise<void> {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'pennypost-upgrade-'));
  const config = readConfig({ ADMIN_CLIENT_SECRETS: adminSecret, SECRET_KEY: 'secret-key-of-the-test-kit', DATA_DIR });
  const app = buildApp(config, { databaseUrl: url, log });
  const http = await buildServer({ app, surfaces, formats, version: 'test' });
  const token = jwt({ iss: 'notify-admin', iat: Math.floor(Date.now() / 1_000) }, adminSecret);
  const answer = await http.inject({ url: `/service/${service}`, headers: { authorization: `Bearer ${token}` } });
  await http.close();
  await app.close();
  rmSync(DATA_DIR, { recursive: true });
  expect(answer.json().data).toMatchObject({ id: service, name: 'Early' });
}

describe('an earlier version', { timeout: 60_000 }, () => {
  it('is upgraded where it is', async () => {
    const url = await emptyDatabase();
    await migrate(url, log, { upTo: earlier });
    await query(url, ...writesOfThatTime);
    const applied = await migrate(url, log);
    expect(applied).toEqual(migrationFiles().filter((name) => name > earlier));
    await expectServiceIsServed(url);
  });

  it('has its backup restored into the newest schema', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-upgrade-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const old = await emptyDatabase();
    await migrate(old, log, { upTo: earlier });
    await query(old, ...writesOfThatTime);
    await backup({ url: old, dataDir: folder, folder: join(folder, 'backup'), say: () => {} });
    const url = await emptyDatabase();
    await restore({ url, dataDir: join(folder, 'data'), folder: join(folder, 'backup'), say: () => {}, log });
    await expectServiceIsServed(url);
  });

  it('still writes while the schema is already new', async () => {
    const url = await emptyDatabase();
    await migrate(url, log);
    await query(url, ...writesOfThatTime);
    await expectServiceIsServed(url);
  });
});
