import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Load } from '../faults/kit/load.ts';
import { type Sender, World } from '../faults/kit/world.ts';
import { Cluster } from './kit/cluster.ts';
import type { Node } from './kit/node.ts';

let cluster: Cluster;
let world: World;
let sender: Sender;

beforeAll(async () => {
  cluster = await Cluster.start();
  world = await World.start({
    databaseUrl: cluster.url,
    processes: ['api', 'api', 'worker'],
    env: { DATABASE_REPLICA_URL: cluster.replicaUrl, npm_lifecycle_event: 'test:ha' },
  });
  sender = await world.aSender('Standby');
});

afterAll(async () => {
  await world?.close();
  await cluster?.close();
});

/** Of both APIs together. */
async function figures(): Promise<{ standby: number; primary: number; repeated: number; used: number }> {
  const texts = await Promise.all(world.apis.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  const sum = (pattern: RegExp) => texts.reduce((total, text) => total + Number(pattern.exec(text)?.[1] ?? 0), 0);
  return {
    standby: sum(/^db_standby_reads_total{server="standby"} (\d+)/m),
    primary: sum(/^db_standby_reads_total{server="primary"} (\d+)/m),
    repeated: sum(/^db_standby_repeated_reads_total (\d+)/m),
    used: sum(/^db_standby_used (\d+)/m),
  };
}

const untilUsed = () => expect.poll(async () => (await figures()).used, { timeout: 90_000, interval: 200 }).toBe(2);

/** The standby to which the processes are connected. */
async function standbyInUse(): Promise<Node> {
  for (;;) {
    for (const node of await cluster.standbys()) {
      const sessions = await node.query("select from pg_stat_activity where usename = 'pennypost'").catch(() => []);
      if (sessions.length > 0) return node;
    }
    await sleep(100);
  }
}

/** Sends through one process, and at once searches through the other. */
class Watch {
  readonly reads: Record<string, number> = {};
  readonly missing: string[] = [];
  longest_ms = 0;
  private goesOn = true;
  private readonly load = new Load(() => this.ports[0]);
  private readonly running = this.run();

  private get ports(): [number, number] {
    const [one, other] = world.apis;
    return [one?.port ?? 0, other?.port ?? 0];
  }

  async end(): Promise<this> {
    this.goesOn = false;
    await this.running;
    this.load.close();
    return this;
  }

  private async run(): Promise<void> {
    while (this.goesOn) {
      await this.load.send(sender);
      const id = [...this.load.accepted].at(-1);
      const began = performance.now();
      const { status, text } = await this.search();
      this.longest_ms = Math.max(this.longest_ms, performance.now() - began);
      this.reads[status] = (this.reads[status] ?? 0) + 1;
      if (status === 200 && id && !text.includes(id)) this.missing.push(id);
      await sleep(20);
    }
  }

  private async search(): Promise<{ status: number; text: string }> {
    const url = `http://127.0.0.1:${this.ports[1]}/v2/notifications?template_type=sms`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${sender.key}` } });
    return { status: response.status, text: await response.text() };
  }
}

describe('reads of a process with DATABASE_REPLICA_URL', () => {
  let watch: Watch;

  beforeEach(async () => {
    await cluster.untilWhole();
    await untilUsed();
  });

  afterEach(() => watch.end());

  function tell(scenario: string, observed: object): void {
    const longest_ms = Math.round(watch.longest_ms);
    process.stdout.write(`${scenario}: ${JSON.stringify({ reads: watch.reads, longest_ms, ...observed })}\n`);
  }

  it('a standby that keeps up answers them, with what the other process has just accepted', async () => {
    const before = await figures();
    watch = new Watch();
    await sleep(5_000);
    const { reads, missing } = await watch.end();
    const after = await figures();
    tell('keeps up', after);
    expect([missing, Object.keys(reads)]).toEqual([[], ['200']]);
    expect(after.standby - before.standby).toBeGreaterThan((after.primary - before.primary) * 10);
  });

  it('the primary answers them while every standby lags', async () => {
    const standbys = await cluster.standbys();
    watch = new Watch();
    await sleep(1_000);
    for (const node of standbys) node.signalReplay('SIGSTOP');
    await expect.poll(async () => (await figures()).used, { timeout: 20_000 }).toBe(0);
    const late = await figures();
    await sleep(2_000);
    expect((await figures()).standby).toBe(late.standby);
    for (const node of standbys) node.signalReplay('SIGCONT');
    await untilUsed();
    const { reads, missing } = await watch.end();
    tell('lags', await figures());
    expect([missing, Object.keys(reads)]).toEqual([[], ['200']]);
    expect(watch.longest_ms).toBeLessThan(2_500);
  });

  it('another standby answers them when one dies', async () => {
    const dead = await standbyInUse();
    watch = new Watch();
    await sleep(1_000);
    await dead.kill();
    await sleep(4_000);
    await untilUsed();
    expect(await standbyInUse()).not.toBe(dead);
    dead.start();
    const { reads, missing } = await watch.end();
    tell('dies', await figures());
    expect([missing, Object.keys(reads)]).toEqual([[], ['200']]);
  });

  it('nothing is read from a standby that hangs', async () => {
    const frozen = await standbyInUse();
    watch = new Watch();
    await sleep(1_000);
    frozen.signal('SIGSTOP');
    await sleep(6_000);
    await untilUsed();
    expect(await standbyInUse()).not.toBe(frozen);
    frozen.signal('SIGCONT');
    const { reads, missing } = await watch.end();
    tell('hangs', await figures());
    expect([missing, Object.keys(reads)]).toEqual([[], ['200']]);
    expect(watch.longest_ms).toBeLessThan(6_000);
  });

  it('a standby that is promoted is replaced by another', async () => {
    // The one that hung before may still be catching up.
    await cluster.untilWhole();
    const [primary, candidate] = [await cluster.primary(), await cluster.synchronousStandby()];
    watch = new Watch();
    await sleep(1_000);
    await primary.request('POST', '/switchover', { leader: primary.name, candidate: candidate.name });
    await cluster.untilPromoted(primary);
    await cluster.untilWhole();
    await untilUsed();
    expect(await standbyInUse()).not.toBe(candidate);
    await sleep(2_000);
    const { reads, missing } = await watch.end();
    tell('is promoted', await figures());
    expect(missing).toEqual([]);
    // While there is no primary.
    expect(Object.keys(reads).filter((status) => status !== '503')).toEqual(['200']);
  });

  it('the primary answers those that recovery cancels', async () => {
    const primary = await cluster.primary();
    await primary.request('PATCH', '/config', { postgresql: { parameters: { max_standby_streaming_delay: 0 } } });
    await world.query(
      `insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, status,
         recipient, created_at)
       select overlay(n.id::text placing lpad(to_hex(i), 12, '0') from 25)::uuid, n.service_id, n.template_id, 1, 'sms',
         'normal', 'delivered', '07700900124', n.created_at
       from (select * from notifications where service_id = $1 limit 1) n cross join generate_series(1, 20000) i`,
      [sender.service_id],
    );
    const before = await figures();
    const search = { to: '077009', page_size: 1_000 };
    const answers: string[] = [];
    let goesOn = true;
    const readers = Array.from({ length: 4 }, async () => {
      while (goesOn) {
        const response = await world.call(`/service/${sender.service_id}/notifications`, JSON.stringify(search));
        const { notifications, message } = (await response.json()) as { notifications?: unknown[]; message?: string };
        answers.push(`${response.status} ${message ?? notifications?.length}`);
      }
    });
    const deadline = Date.now() + 60_000;
    while ((await figures()).repeated < before.repeated + 5 && Date.now() < deadline) {
      await primary.query('begin; lock table notifications in access exclusive mode; commit');
      await sleep(50);
    }
    goesOn = false;
    await Promise.all(readers);
    const after = await figures();
    process.stdout.write(`recovery cancels: ${answers.length} searches, ${JSON.stringify(after)}\n`);
    expect(after.repeated - before.repeated).toBeGreaterThanOrEqual(5);
    expect(new Set(answers)).toEqual(new Set([`200 ${search.page_size}`]));
  });
});
