import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome } from './kit/outcome.ts';
import { report, reportNotRun } from './kit/report.ts';
import { type Sender, World } from './kit/world.ts';

const scenario = 'disk full';
const folder = mkdtempSync(join(tmpdir(), 'pennypost-faults-'));
let isMounted = false;
let world: World | undefined;

afterAll(async () => {
  await world?.close();
  if (isMounted) execFileSync('umount', [folder]);
  rmdirSync(folder);
});

it('a full disk: 503, no partial writes, and recovery by itself when there is space again', async ({ skip }) => {
  const problem = mountProblem();
  if (problem) {
    reportNotRun(scenario, problem);
    return skip(problem);
  }
  world = await World.start({ processes: ['serve'], databaseUrl: null, dataDir: folder });
  const sender = await world.aSender('Full', { callbackPath: '/hook' });
  const [serving] = world.processes;
  const { pid } = serving ?? {};
  const load = new Load(() => world?.api.port ?? 0);
  await load.sendFor(sender, 40, 3);
  expect(await sendLetter(world, sender)).toBe(201);

  fillDisk();
  const full = new Load(() => world?.api.port ?? 0);
  await full.sendFor(sender, 100, 6);
  const letter = await sendLetter(world, sender);
  // Tables are full, and now there is no space for the write-ahead log either: PostgreSQL panics, and cannot start.
  await world.query('select pg_switch_wal()').catch(() => undefined);
  await full.sendFor(sender, 100, 6);
  expect(await serving?.isReady()).toBe(false);
  const fragments = listFiles().filter((name) => name.endsWith('.part'));
  rmSync(join(folder, 'ballast'));
  const freed = Date.now();
  const after = new Load(() => world?.api.port ?? 0);
  while ((await after.send(sender)) !== '201') await sleep(50);
  const recovery_ms = Date.now() - freed;
  await after.sendFor(sender, 40, 3);

  const outcome = await collectOutcome(world, new Set([...load.accepted, ...full.accepted, ...after.accepted]));
  report(
    scenario,
    'a data folder of 256 MB, filled to the last byte for 12 s, PostgreSQL down for the last 6',
    outcome,
    [
      `responses during it ${JSON.stringify(full.responses)}, a letter with a file ${letter}`,
      `sending again ${recovery_ms} ms after there was space, same process`,
    ],
  );
  expect(full.responses['503']).toBeGreaterThan(500);
  expect(Object.keys(full.responses).filter((status) => !['201', '503'].includes(status))).toEqual([]);
  expect(letter).toBe(503);
  expect(fragments).toEqual([]);
  expect(recovery_ms).toBeLessThan(20_000);
  expect(serving?.pid).toBe(pid);
  expect(outcome.lost).toEqual([]);
  expect(await halfStored(world)).toEqual([]);
});

/** The reason why mounting failed; undefined when the folder is now a small file system. */
function mountProblem(): string | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=711', 'tmpfs', folder], { stdio: 'pipe' });
    isMounted = true;
    return undefined;
  } catch (error) {
    return `a small file system cannot be mounted here: ${String(error).split('\n')[1] ?? error}`;
  }
}

function fillDisk(): void {
  const ballast = openSync(join(folder, 'ballast'), 'w');
  for (let size = 1 << 20; size >= 1; ) {
    try {
      if (writeSync(ballast, Buffer.alloc(size)) === 0) size >>= 1;
    } catch {
      size >>= 1;
    }
  }
  closeSync(ballast);
}

function listFiles(): string[] {
  const files = join(folder, 'files');
  return existsSync(files) ? readdirSync(files, { recursive: true, encoding: 'utf8' }) : [];
}

/** A precompiled letter: its file is stored beside the database. */
async function sendLetter({ api }: World, { key }: Sender): Promise<number> {
  const response = await fetch(`${api.url}/v2/notifications/letter`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ reference: 'full', content: Buffer.from('%PDF-1.4').toString('base64') }),
  });
  await response.body?.cancel();
  return response.status;
}

/** A message is stored with its counts or not at all, whatever the response was. */
function halfStored(world: World): Promise<object[]> {
  return world.query(`
    select d.service_id, d.channel, d.count, count(n.id) as stored
    from daily_message_counts d
    left join notifications n on n.service_id = d.service_id and n.notification_type = d.channel
    group by d.service_id, d.channel, d.count
    having d.count <> count(n.id)`);
}
