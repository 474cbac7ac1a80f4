import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DatabaseProxy } from '../kit/process/database-proxy.ts';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { OwnDatabase } from './kit/own-database.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

/**
 * The database is down for longer than a lease, as in a failover, while two workers have calls in flight. No attempt
 * breaks off: each worker still has the results of its calls. So nothing may be sent twice, whichever worker
 * reconnects first.
 */

const outage_s = 15;
const messages = 150;
let database: OwnDatabase;
let proxy: DatabaseProxy;
let world: World;

beforeAll(async () => {
  database = await OwnDatabase.start();
  proxy = await DatabaseProxy.start(database.url);
  world = await World.start({
    databaseUrl: database.url,
    processes: ['api', 'worker', 'worker'],
    env: { DATABASE_URL: proxy.url, DELIVERY_RETRY_DELAY_S: '30' },
  });
  // Receipts would finish messages whose results are not recorded; this is about the results alone.
  world.provider.receiptAfter = () => 25_000;
}, 120_000);

beforeEach(() => {
  world.provider.gateways.delay_ms = 1_500;
});

afterAll(async () => {
  await world?.close();
  await proxy?.close();
  await database?.stop();
});

it.each(['connections break and are refused', 'the server stands still'])(
  'PostgreSQL is away for 15 s, %s: what was sent is not sent again',
  async (how) => {
    const sender = await world.aSender(`Outage, ${how}`);
    const load = new Load(() => world.api.port);
    await load.sendAll(sender, messages, 50);
    const underWay = () => world.provider.sends.filter(({ reference }) => load.accepted.has(reference)).length;
    for (let waited = 0; underWay() < messages && waited < 10_000; waited += 20) await sleep(20);
    const sent = underWay();
    if (how === 'the server stands still') database.signalAll('SIGSTOP');
    else proxy.refuse();
    await sleep(outage_s * 1_000);
    if (how === 'the server stands still') database.signalAll('SIGCONT');
    else proxy.accept();
    world.provider.gateways.delay_ms = 0;
    const outcome = await collectOutcome(world, load.accepted, 90);
    report(`PostgreSQL away for ${outage_s} s`, `${how}; 2 workers, ${sent} calls made before`, outcome, [
      `responses ${JSON.stringify(load.responses)}`,
    ]);
    expect(sent).toBe(messages);
    expect(outcome.lost).toEqual([]);
    expect(countDuplicates(outcome.duplicates)).toBe(0);
  },
);
