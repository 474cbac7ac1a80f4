import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotifyClient } from 'notifications-node-client';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../src/operations/sandbox.ts';

interface Begun {
  child: ChildProcess;
  described: Sandbox;
  /** The parent of the sandbox's folder: empty again after the cleanup. */
  folder: string;
}

/** Node runs `command`, whose first output is that of the sandbox. */
async function begin(command: string[]): Promise<Begun> {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-sandbox-test-'));
  execFileSync('chmod', ['711', folder]);
  const env = { ...process.env, TMPDIR: folder, PORT: '1', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const child = spawn(process.execPath, command, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const first = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`The sandbox ended with ${code}`)));
  });
  return { child, described: JSON.parse(first) as Sandbox, folder };
}

async function expectNothingLeft({ described, folder }: Begun): Promise<void> {
  for (const deadline = Date.now() + 40_000; Date.now() < deadline; await sleep(50)) {
    if (readdirSync(folder).length === 0) break;
  }
  expect(readdirSync(folder)).toEqual([]);
  await expect(fetch(`${described.base_url}/status`)).rejects.toThrow();
}

describe('pennypost sandbox', { timeout: 60_000 }, () => {
  beforeAll(() => void execFileSync(process.execPath, ['scripts/ready.mjs'], { stdio: 'inherit' }), 120_000);

  it('accepts messages from an official client, and stops when its standard input ends', async () => {
    const begun = await begin(['dist/main.js', 'sandbox']);
    const { base_url, api_keys, templates, service_id, admin } = begun.described;
    expect(base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(admin).toEqual({ client_id: 'notify-admin', client_secret: expect.stringMatching(/^.{40,}$/) });

    const personalisation = { name: 'Ada', day: 'Friday' };
    for (const key of [api_keys.live, api_keys.test]) {
      expect(key).toContain(service_id);
      const client = new NotifyClient(base_url, key);
      const { data } = await client.sendSms(templates.sms, '07700900123', { personalisation });
      expect(data.content.body).toContain('Hello Ada, see you on Friday.');
    }
    const team = new NotifyClient(base_url, api_keys.team);
    await expect(team.sendSms(templates.sms, '07700900123', { personalisation })).rejects.toMatchObject({
      response: { status: 400, data: { errors: [{ error: 'BadRequestError' }] } },
    });

    begun.child.stdin?.end();
    await new Promise((resolve) => begun.child.once('exit', resolve));
    await expectNothingLeft(begun);
  });

  it('stops when its parent is killed, even without a pipe between them', async () => {
    const parent = `
      const { spawn } = require('node:child_process');
      spawn(process.execPath, ['dist/main.js', 'sandbox'], { stdio: ['ignore', 'inherit', 'inherit'] });
      setInterval(() => {}, 1000);`;
    const begun = await begin(['-e', parent]);
    expect((await fetch(`${begun.described.base_url}/status`)).status).toBe(200);
    expect(existsSync(begun.folder)).toBe(true);
    begun.child.kill('SIGKILL');
    await expectNothingLeft(begun);
  });
});
