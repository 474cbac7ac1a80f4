import type { Config } from '../config.ts';
import { laneName, lanes } from '../notifications/notification.ts';
import {
  DeliveryQueueReader,
  type LeasedNotification,
  type QueuedNotification,
  updateProviders,
} from '../notifications/queue/delivery-queue.ts';
import { newsChannel } from '../notifications/queue/queue-news.ts';
import { later } from '../platform/clock.ts';
import { isDatabaseUnavailable } from '../platform/db/errors.ts';
import { GroupCommit } from '../platform/db/group-commit.ts';
import { retryUntilAvailable } from '../platform/db/retry.ts';
import { Loop, type Rest } from '../platform/loop.ts';
import type { Platform } from '../platform/platform.ts';
import type { Composed } from './compose.ts';
import { deliver, failedAttempt, type Result } from './deliver.ts';
import { DeliveryMetrics } from './delivery-metrics.ts';
import type { ProviderChoice } from './failover/provider-choice.ts';
import { selectPlaces } from './failover/provider-details.sql.ts';
import { shiftFromFailing } from './failover/provider-failover.ts';
import { isPrompt } from './failover/provider-health.ts';
import { type Held, Leases, lease_ms } from './leases.ts';
import type { SenderIdentities, SenderIdentity } from './providers/sender-identities.ts';
import { handOvers, recordResults } from './record-results.ts';

/** New messages wake the worker; retries and scheduled ones are found by looking. */
const idle_ms = 500;
/** While messages keep coming they are leased together this often: a lease costs the same for one and for a hundred. */
const leaseEvery_ms = 25;
/** The same for recording what became of them. */
const recordEvery_ms = 10;
/** Another worker was faster. */
const emptyHanded_ms = 5;
/** A provider’s pace leaves room again soon. */
const paced_ms = 50;
const sharesAreFreshFor_ms = 10_000;
/** Bulk messages may hold this much of the places, so that others never wait for a bulk call to end. */
const mostBulkShare = 0.75;
/** Results wait for the database without a place of their own, but not without end. */
const mostHeldPerPlace = 5;

type ChannelNeeds = Platform & {
  config: Pick<
    Config,
    | 'DELIVERY_CONCURRENCY'
    | 'DELIVERY_MAX_RETRIES'
    | 'DELIVERY_RETRY_DELAY_S'
    | 'DELIVERY_EXPIRY_H'
    | 'SMS_PROVIDERS'
    | 'EMAIL_PROVIDERS'
  >;
};

export interface Channel<Message> {
  type: 'sms' | 'email';
  choice: ProviderChoice<Message>;
  services: SenderIdentities;
  compose(queued: QueuedNotification, service: SenderIdentity): Promise<Composed<Message>>;
}

/** Takes one channel’s messages from the queue to its providers, as many at a time as there are places. */
export class ChannelWorker<Message> {
  private readonly app: ChannelNeeds;
  private readonly channel: Channel<Message>;
  private readonly reader: DeliveryQueueReader;
  /** From the lease until the result is recorded. */
  private readonly held = new Map<string, Held>();
  /** Calls under way, and how many of them carry bulk messages. */
  private calls = 0;
  private bulkCalls = 0;
  private readonly leases: Leases;
  private readonly results: GroupCommit<Result, undefined>;
  private readonly loop: Loop;
  private readonly metrics: DeliveryMetrics;
  private sharesReadAt = Number.NEGATIVE_INFINITY;
  private stopping = false;
  private atCapacity = false;

  constructor(app: ChannelNeeds, channel: Channel<Message>) {
    this.app = app;
    this.channel = channel;
    this.leases = new Leases(app, this.held);
    this.reader = new DeliveryQueueReader(channel.type, this.leases.worker);
    this.metrics = new DeliveryMetrics(app.metrics);
    this.results = new GroupCommit({
      commit: (results) => this.record(results),
      largest: 1_000,
      atOnce: 1,
      every_ms: recordEvery_ms,
      concernsAll: isDatabaseUnavailable,
    });
    this.loop = new Loop({ name: `deliver ${channel.type}`, step: () => this.step(), log: app.log });
  }

  start(): void {
    const { changeListener, clock } = this.app;
    changeListener.on(newsChannel(this.channel.type), (news) => {
      this.reader.hear(news, clock.now());
      this.loop.wake();
    });
    changeListener.onReset(() => this.reader.lookAgain());
    this.leases.start();
    this.loop.start();
  }

  /** What is in flight ends and is recorded; nothing new is taken. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.loop.stop();
    await this.settle();
    this.leases.stop();
    await this.channel.choice.close();
  }

  /** Everything that is due now, then returns: for tests. */
  async runOnce(): Promise<void> {
    for (;;) {
      this.reader.lookAgain();
      await this.step();
      if (this.held.size === 0) return;
      await this.settle();
    }
  }

  private async settle(): Promise<void> {
    while (this.held.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Leases as much as there is room for, and says how long to rest. */
  private async step(): Promise<number | Rest> {
    const places = this.app.config.DELIVERY_CONCURRENCY;
    const free = places - this.calls;
    // Taking single messages as single places become free would cost a round trip each.
    this.atCapacity = free < places / 4 || this.held.size > places * mostHeldPerPlace;
    if (this.atCapacity) return idle_ms;
    const most = await this.leases.watch(async () => {
      await this.readShares();
      return Math.min(free, this.channel.choice.capacity());
    });
    if (most < 1) return paced_ms;
    const leased = await this.lease(most);
    if (leased === free) return 0;
    return leased > 0
      ? { atLeast_ms: leaseEvery_ms, atMost_ms: leaseEvery_ms }
      : { atLeast_ms: emptyHanded_ms, atMost_ms: idle_ms };
  }

  private async lease(most: number): Promise<number> {
    const { app, channel, leases } = this;
    const takeOver = leases.mayTakeOver();
    const began = performance.now();
    const now = app.clock.now();
    const leased = await leases.watch(() =>
      this.reader.lease(app.db, {
        most,
        mostBulk: Math.max(0, Math.floor(app.config.DELIVERY_CONCURRENCY * mostBulkShare) - this.bulkCalls),
        now,
        until: later(now, lease_ms),
        takeOver,
        draw: (count) => channel.choice.draw(count),
      }),
    );
    // Its lease ran out while we still hold it (a database that was away): the first attempt goes on.
    const taken = leased.filter(({ id }) => !this.held.has(id));
    for (const { id, provider } of taken) {
      this.held.set(id, leases.leasedAt(began));
      if (provider) channel.choice.take(provider);
    }
    const again = taken.filter((queued) => queued.attempts > 0 && isToBeSent(queued));
    for (const queued of again) queued.provider = this.chooseAgain(queued);
    try {
      const assigned = again.flatMap(({ id, provider }) => (provider ? [{ id, provider }] : []));
      if (assigned.length > 0) await updateProviders(app.db, leases.worker, assigned);
    } catch (error) {
      for (const { id } of taken) this.held.delete(id);
      throw error;
    }
    // A clock that was set meanwhile may have ended these leases as soon as they began.
    leases.mayTakeOver();
    for (const queued of taken) void this.process(queued, queued.provider ?? undefined);
    return leased.length;
  }

  private chooseAgain({ international, outcome_known, last_provider }: LeasedNotification): string | null {
    const before = outcome_known ? { notAgain: last_provider } : { again: last_provider };
    return this.channel.choice.choose({ international, ...before }) ?? null;
  }

  private async process(queued: QueuedNotification, providerName: string | undefined): Promise<void> {
    const bulk = queued.lane === lanes.bulk ? 1 : 0;
    try {
      this.calls += 1;
      this.bulkCalls += bulk;
      const result = await this.attempt(queued, providerName).finally(() => {
        this.calls -= 1;
        this.bulkCalls -= bulk;
        if (this.atCapacity) this.loop.wake();
      });
      if (result) await this.results.add(result);
      else this.app.log.warn({ notification_id: queued.id }, 'a lease ran out before its message could be sent');
    } catch (error) {
      // Nothing is lost: the lease runs out, and whoever takes the message next finds it unsettled.
      this.app.log.error({ err: error, notification_id: queued.id }, 'an attempt could not be recorded');
    } finally {
      this.held.delete(queued.id);
    }
  }

  /** Undefined: the message is no longer ours, and nothing was done with it. */
  private async attempt(queued: QueuedNotification, providerName: string | undefined): Promise<Result | undefined> {
    const { choice, services, compose } = this.channel;
    const { clock, log, config } = this.app;
    const provider = providerName === undefined ? undefined : choice.find(providerName);
    const mustWait = provider === undefined && !choice.noProviderSupports(queued);
    try {
      const service = await services.find(queued.service_id);
      const standIn = queued.key_type === 'test' ? choice.standIn(queued) : undefined;
      const isHeld = () => this.leases.isHeld(queued.id);
      return await deliver({ queued, service, provider, standIn, mustWait, compose, isHeld, clock, log, config });
    } catch (error) {
      // The message is not at fault: when its lease runs out it is tried again.
      if (isDatabaseUnavailable(error)) throw error;
      log.error({ err: error, notification_id: queued.id, attempts: queued.attempts + 1 }, 'an attempt failed');
      return failedAttempt(queued, { clock, config });
    }
  }

  private async record(results: Result[]): Promise<undefined[]> {
    const { db, clock, log } = this.app;
    const { worker } = this.leases;
    const recorded = await retryUntilAvailable(
      log,
      () => this.stopping,
      () => this.leases.watch(() => recordResults(db, worker, results, clock.now())),
    );
    for (const result of recorded) this.measure(result);
    if (results.some(({ outcome }) => outcome === 'retry')) await this.checkFailover();
    return results.map(() => undefined);
  }

  /** A provider that fails often gives some of its share to the others. */
  private async checkFailover(): Promise<void> {
    try {
      await shiftFromFailing(this.app, this.channel.type);
    } catch (error) {
      this.app.log.warn({ err: error }, 'the shares of providers could not be looked at');
    }
  }

  private measure(result: Result): void {
    const { queued, provider, outcome } = result;
    if (provider && outcome) this.metrics.calls.inc({ provider, outcome });
    for (const handOver of handOvers(result)) {
      const seconds = (handOver.sent.getTime() - handOver.due.getTime()) / 1_000;
      this.metrics.timeToProvider.observe(
        { notification_type: this.channel.type, lane: laneName(queued.lane) },
        seconds,
      );
      this.metrics.promptness.inc({ within_10_s: String(isPrompt(handOver)) });
    }
  }

  private async readShares(): Promise<void> {
    if (performance.now() - this.sharesReadAt < sharesAreFreshFor_ms) return;
    this.channel.choice.update(await selectPlaces(this.app.db, this.channel.type));
    this.sharesReadAt = performance.now();
  }
}

function isToBeSent({ status, key_type }: LeasedNotification): boolean {
  return status === 'created' && key_type !== 'test';
}
