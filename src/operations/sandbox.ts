import { randomBytes } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKey } from '../auth/api-keys.ts';
import type { Config } from '../config.ts';
import type { Platform } from '../platform/platform.ts';
import { platformUserId } from '../users/account-messages.ts';
import type { Demo } from './demo.ts';

/** What another project's test suite reads from the one line that a sandbox prints. */
export interface Sandbox {
  base_url: string;
  service_id: string;
  api_keys: { live: string; team: string; test: string };
  templates: Demo['templates'];
  admin: { client_id: string; client_secret: string };
  /** Everything that was sent, to look at. */
  outbox_url: string;
}

/** Not mkdtemp: its folders are closed even to passing through, which the database's own user must. */
export function sandboxFolder(): string {
  return join(tmpdir(), `pennypost-sandbox-${randomBytes(6).toString('hex')}`);
}

/** A thrown-away database need not survive a crash. */
export const nonDurableSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Known before the start, because links in messages name it. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

type Deps = Platform & { config: Pick<Config, 'BASE_URL' | 'ADMIN_CLIENT_ID' | 'ADMIN_CLIENT_SECRETS'> };

export async function describeSandbox(app: Deps, demo: Demo): Promise<Sandbox> {
  const { service_id, templates } = demo;
  const key = async (key_type: 'team' | 'test') =>
    `${key_type}-${service_id}-${await createApiKey(app, service_id, { name: key_type, key_type, created_by: platformUserId })}`;
  return {
    base_url: app.config.BASE_URL,
    service_id,
    api_keys: { live: demo.api_key, team: await key('team'), test: await key('test') },
    templates,
    admin: { client_id: app.config.ADMIN_CLIENT_ID, client_secret: app.config.ADMIN_CLIENT_SECRETS[0] ?? '' },
    outbox_url: `${app.config.BASE_URL}/outbox`,
  };
}

/**
 * Standard input that is a pipe ends when whoever holds its other end does, however violently, and also through npx. Any
 * other standard input (a terminal, /dev/null) says nothing about the parent; then its process id is watched.
 */
export function whenParentEnds(act: () => void): void {
  // Nobody reads us any more: that must not end the process before it has cleaned up.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && end(), 250);
  let ended = false;
  function end(): void {
    clearInterval(watch);
    if (!ended) act();
    ended = true;
  }
  const stdin = fstatSync(0);
  if (stdin.isFIFO() || stdin.isSocket()) process.stdin.once('end', end).once('error', end).resume();
}
