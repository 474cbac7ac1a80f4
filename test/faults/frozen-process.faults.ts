import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from './kit/load.ts';
import { collectOutcome } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import type { Supervised } from './kit/supervised.ts';
import { type Sender, World } from './kit/world.ts';

const frozen_s = 20;
let world: World;

beforeAll(async () => {
  world = await World.start({ processes: ['api', 'api', 'worker'] });
  world.provider.receiptUrl = () => world.apis[1]?.url ?? '';
}, 120_000);
afterAll(() => world?.close());

it('an API process freezes within a transaction: others go on, its service within 15 s, nothing is lost or doubled', async () => {
  const [freezing, other] = world.apis as [Supervised, Supervised];
  const [sender, neighbour] = [await world.aSender('Freezes'), await world.aSender('Neighbour')];
  const through = (keyed: boolean) => new Load(() => other.port, { keyed });
  // For comparison: the machine may be busy.
  const undisturbed = through(true);
  await undisturbed.sendFor(neighbour, 10, 5);
  const oneOffs = new Map<string, string | undefined>();
  const before = new Load(() => freezing.port, { keyed: true });
  let running = true;
  const sending = [before.sendSteadily(sender, 20, () => running)];
  for (let person = 0; person < 4; person += 1) sending.push(sendOneOffs(sender, freezing, oneOffs, () => running));
  await sleep(2_000);
  await freezeWithinTransaction(freezing, sender);
  const { pid } = freezing;
  const frozenAt = Date.now();
  running = false;

  // With and without keys: those are different commits.
  const own = [through(true), through(false)];
  const others = [through(true), through(false)];
  const untilEnd = () => Date.now() < frozenAt + frozen_s * 1_000;
  await Promise.all([
    ...own.map((load) => load.sendSteadily(sender, 3, untilEnd)),
    ...others.map((load) => load.sendSteadily(neighbour, 5, untilEnd)),
  ]);
  freezing.signal('SIGCONT');
  await Promise.all(sending);
  const survived = freezing.pid === pid && (await freezing.isReady());

  // Clients repeat what has no 201, through the other process.
  const again = through(true);
  for (const load of [before, ...own]) {
    for (const [key, id] of load.keys) if (id === undefined) await again.send(sender, key);
  }
  for (const [key, id] of oneOffs) if (!id) oneOffs.set(key, await world.sendOneOff(sender, key, other));
  const loads = [undisturbed, before, ...own, ...others, again];
  const ids = [...loads.flatMap(({ accepted }) => [...accepted]), ...oneOffs.values()].filter((id) => id !== undefined);
  const outcome = await collectOutcome(world, new Set(ids), 90);
  const sentAgain_ms = own.map(({ acceptedAt }) => Math.min(...acceptedAt) - frozenAt);
  report('a frozen API process', `one of 2 stopped for ${frozen_s} s within a transaction`, outcome, [
    `its service through the other: ${own.map(({ responses }) => JSON.stringify(responses))}, after ${sentAgain_ms} ms`,
    `another service: ${others.map(({ responses }) => JSON.stringify(responses))}`,
    `p50/p90/longest ${others.map(times)} ms, before ${times(undisturbed)} ms`,
  ]);

  expect(survived).toBe(true);
  expect(outcome.lost).toEqual([]);
  expect(Math.max(...sentAgain_ms)).toBeLessThan(15_000);
  for (const load of own) expect(Object.keys(load.responses).sort()).toEqual(['201', '503']);
  for (const load of others) expect(Object.keys(load.responses)).toEqual(['201']);
  const longest_ms = Math.max(...others.map((load) => load.quantile(1)));
  expect(longest_ms).toBeLessThan(5_000 + undisturbed.quantile(1));
  await expectOneMessageForEachKey([...oneOffs, ...loads.flatMap(({ keys }) => [...keys])]);
});

function times(load: Load): string {
  return [0.5, 0.9, 1].map((share) => load.quantile(share)).join('/');
}

async function sendOneOffs(
  sender: Sender,
  api: Supervised,
  sent: Map<string, string | undefined>,
  goesOn: () => boolean,
): Promise<void> {
  while (goesOn()) {
    const key = randomUUID();
    sent.set(key, undefined);
    sent.set(key, await world.sendOneOff(sender, key, api));
  }
}

/** Until a transaction of the process that stands still has locked the row of the service. */
async function freezeWithinTransaction(process: Supervised, { service_id }: Sender): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    process.signal('SIGSTOP');
    await sleep(500);
    const waiting = await world.query(
      `select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
        and backend_xid is not null and state_change < clock_timestamp() - interval '400 ms'
        and not exists (select 1 from daily_message_counts where service_id = $1 and channel = 'sms' for update skip locked)`,
      [service_id],
    );
    if (waiting.length > 0) return;
    process.signal('SIGCONT');
    await sleep(200 + Math.random() * 100);
  }
  throw new Error('The process was never within a transaction');
}

async function expectOneMessageForEachKey(accepted: [string, string | undefined][]): Promise<void> {
  const rows = await world.query<{ id: string; client_reference: string }>(
    'select id, client_reference from notifications where client_reference is not null',
  );
  const stored = new Map(rows.map(({ id, client_reference }) => [client_reference, id]));
  expect(stored.size).toBe(rows.length);
  expect(new Set(accepted.map(([key]) => key))).toEqual(new Set(stored.keys()));
  const wrong = accepted.filter(([key, id]) => id !== undefined && stored.get(key) !== id);
  expect(wrong).toEqual([]);
}
