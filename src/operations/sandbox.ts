import { randomBytes } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKey } from '../auth/api-keys.ts';
import type { AuthSettings } from '../auth/settings.ts';
import type { Platform } from '../platform/platform.ts';
import { stopWithParent } from '../platform/process/stopping.ts';
import type { Urls } from '../platform/settings.ts';
import { platformUserId } from '../users/platform-user.ts';
import type { Demo } from './demo.ts';

/** The JSON that `pennypost sandbox` prints on one line, for test suites of other projects. */
export interface Sandbox {
  base_url: string;
  service_id: string;
  api_keys: { live: string; team: string; test: string };
  templates: Demo['templates'];
  admin: { client_id: string; client_secret: string };
  /** The page with all sent messages. */
  outbox_url: string;
}

/** Not mkdtemp, which uses mode 0700: the database runs as another user and must traverse the folder. */
export function sandboxFolder(): string {
  return join(tmpdir(), `pennypost-sandbox-${randomBytes(6).toString('hex')}`);
}

/** A temporary database need not survive a crash. */
export const nonDurableSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

type Deps = Platform & { config: { urls: Urls; auth: AuthSettings } };

export async function describeSandbox(app: Deps, demo: Demo): Promise<Sandbox> {
  const { service_id, templates } = demo;
  const key = async (key_type: 'team' | 'test') =>
    `${key_type}-${service_id}-${await createApiKey(app, service_id, { name: key_type, key_type, created_by: platformUserId })}`;
  return {
    base_url: app.config.urls.api,
    service_id,
    api_keys: { live: demo.api_key, team: await key('team'), test: await key('test') },
    templates,
    admin: { client_id: app.config.auth.adminClientId, client_secret: app.config.auth.adminClientSecrets[0] ?? '' },
    outbox_url: `${app.config.urls.api}/outbox`,
  };
}

/**
 * If stdin is a pipe, it ends when the parent ends, even if the parent is killed, and even through npx. Any other stdin (a terminal,
 * /dev/null) says nothing about the parent, so its process id is polled.
 */
export function whenParentEnds(act: () => void): void {
  // Ignore EPIPE: the parent no longer reads our output, but the cleanup must still run.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  let ended = false;
  function end(): void {
    if (!ended) act();
    ended = true;
  }
  stopWithParent(end);
  const stdin = fstatSync(0);
  if (stdin.isFIFO() || stdin.isSocket()) process.stdin.once('end', end).once('error', end).resume();
}
