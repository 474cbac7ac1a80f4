import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Load } from '../faults/kit/load.ts';
import { collectOutcome, countDuplicates, type Outcome } from '../faults/kit/outcome.ts';
import { report } from '../faults/kit/report.ts';
import { World } from '../faults/kit/world.ts';
import { Cluster } from './kit/cluster.ts';
import type { Node } from './kit/node.ts';

const perSecond = 40;
const maxOutage_s = 15;
/** How long before the fault an attempt may have begun that it broke off. */
const attempt_ms = 3_000;

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start();
});

afterAll(() => cluster?.close());

interface Fault {
  scenario: string;
  injected: string;
  inject(primary: Node): Promise<void> | void;
  repair(former: Node): Promise<void> | void;
}

const faults: Fault[] = [
  {
    scenario: 'primary killed',
    injected: 'kill -9 of PostgreSQL and its Patroni',
    inject: (primary) => primary.kill(),
    repair: (former) => former.start(),
  },
  {
    scenario: 'primary frozen',
    injected: 'SIGSTOP of PostgreSQL and its Patroni, restarted 20 s later, as by a watchdog',
    inject: (primary) => primary.signal('SIGSTOP'),
    // Without a watchdog, Patroni may continue as if it still held the lock: see docs/operations/failover.md.
    async repair(former) {
      await former.kill();
      former.start();
    },
  },
  {
    scenario: 'primary cut off from etcd',
    injected: 'connections between its Patroni and etcd break and are refused',
    inject: (primary) => primary.cutLink(),
    repair: (former) => former.mendLink(),
  },
  {
    scenario: 'planned switchover',
    injected: 'through the REST API of Patroni, to the synchronous standby',
    async inject(primary) {
      const candidate = await cluster.synchronousStandby();
      await primary.request('POST', '/switchover', { leader: primary.name, candidate: candidate.name });
    },
    repair: () => undefined,
  },
];

describe.each([
  ['DATABASE_URL with three hosts', () => cluster.url],
  ['through HAProxy', () => cluster.proxyUrl],
])('%s', (way, url) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({
      databaseUrl: url(),
      processes: ['api', 'api', 'worker', 'worker'],
      // They end when this process does, however it ends.
      env: { npm_lifecycle_event: 'test:ha' },
    });
    world.provider.gateways.delay_ms = 250;
  });

  afterAll(() => world?.close());

  it.each(faults)('$scenario', async (fault) => {
    await cluster.untilWhole();
    world.provider.sends.length = 0;
    const sender = await world.aSender(`${fault.scenario} ${way}`, { callbackPath: '/hook' });
    const load = new Load(() => world.api.port);
    let isRunning = true;
    const loading = load.sendSteadily(sender, perSecond, () => isRunning);
    await sleep(4_000);
    const former = await cluster.primary();
    const at = Date.now();
    await fault.inject(former);
    const promotion = cluster.untilPromoted(former).then(() => (Date.now() - at) / 1_000);
    await sleep(at + 20_000 - Date.now());
    await fault.repair(former);
    await sleep(4_000);
    isRunning = false;
    await loading;
    load.close();
    const back_s = (endOfLongestGap(load.acceptedAt, at) - at) / 1_000;
    const outcome = await collectOutcome(world, load.accepted, 120);
    const unexplained = notBrokenOff(outcome, at - attempt_ms, at + back_s * 1_000);
    const [stored] = await world.query<{ count: number }>(
      'select count(*)::int as count from notifications where id = any ($1::uuid[])',
      [[...load.accepted]],
    );
    const promoted_s = await promotion;
    report(`${fault.scenario}, ${way}`, fault.injected, outcome, [
      `new primary after ${promoted_s.toFixed(1)} s, first new 201 after ${back_s.toFixed(1)} s`,
      `${stored?.count} stored, last final after ${outcome.seconds} s`,
      `responses ${JSON.stringify(load.responses)}`,
    ]);
    expect(stored?.count).toBe(load.accepted.size);
    expect(outcome.lost).toEqual([]);
    expect(unexplained).toBe(0);
    expect(Object.keys(load.responses).sort()).toEqual(['201', '503']);
    expect(back_s).toBeLessThan(maxOutage_s);
    await cluster.untilWhole();
    expect(await cluster.primary()).not.toBe(former);
  });
});

/** Responses that were under way when the fault was injected still arrive: the outage is the longest gap after it. */
function endOfLongestGap(times: readonly number[], from: number): number {
  let [longest, end, last] = [0, Number.POSITIVE_INFINITY, from];
  for (const time of times.filter((each) => each > from).sort((one, other) => one - other)) {
    if (time - last > longest) [longest, end] = [time - last, time];
    last = time;
  }
  return end;
}

/** Messages that were sent twice although their first attempt was not under way during the outage. */
function notBrokenOff({ duplicates }: Outcome, from: number, to: number): number {
  return countDuplicates(duplicates.filter(([first]) => !first || first.at < from || first.at > to));
}
