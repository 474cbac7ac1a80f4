import type { Config } from '../config.ts';
import { DeliveryQueueReader, type QueuedNotification } from '../notifications/delivery-queue.ts';
import { laneName, lanes } from '../notifications/notification.ts';
import { later } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { isDatabaseUnavailable } from '../platform/db/errors.ts';
import { GroupCommit } from '../platform/db/group-commit.ts';
import { outlastingOutages } from '../platform/db/patience.ts';
import { Loop } from '../platform/loop.ts';
import type { Platform } from '../platform/platform.ts';
import type { Composed } from './compose.ts';
import { deliver, failedAttempt, type Result } from './deliver.ts';
import { DeliveryMetrics } from './delivery-metrics.ts';
import { Leases, lease_ms } from './leases.ts';
import type { ProviderChoice } from './provider-choice.ts';
import { selectPlaces } from './provider-details.sql.ts';
import { shiftFromFailing } from './provider-failover.ts';
import { isPrompt } from './provider-health.ts';
import { handOvers, recordResults } from './record-results.ts';
import type { SenderIdentities, SenderIdentity } from './sender-identities.ts';

/** New messages wake the worker; retries and scheduled ones are found by looking. */
const idle_ms = 500;
/** A provider’s pace leaves room again soon. */
const paced_ms = 50;
const sharesAreFreshFor_ms = 10_000;
/** Bulk messages may hold this much of the places, so that others never wait for a bulk call to end. */
const mostBulkShare = 0.75;

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

interface InFlight {
  lane: number;
  leasedAt: number;
}

/** Takes one channel’s messages from the queue to its providers, as many at a time as there are places. */
export class ChannelWorker<Message> {
  private readonly app: ChannelNeeds;
  private readonly channel: Channel<Message>;
  private readonly reader: DeliveryQueueReader;
  private readonly inFlight = new Map<string, InFlight>();
  private readonly leases: Leases;
  private readonly results: GroupCommit<Result, undefined>;
  private readonly loop: Loop;
  private readonly metrics: DeliveryMetrics;
  private sharesReadAt = Number.NEGATIVE_INFINITY;
  private stopping = false;
  private starved = false;

  constructor(app: ChannelNeeds, channel: Channel<Message>) {
    this.app = app;
    this.channel = channel;
    this.reader = new DeliveryQueueReader(channel.type);
    this.leases = new Leases(app, this.inFlight);
    this.metrics = new DeliveryMetrics(app.metrics);
    this.results = new GroupCommit({
      commit: (results) => this.record(results),
      largest: 1_000,
      atOnce: 1,
      concernsAll: isDatabaseUnavailable,
    });
    this.loop = new Loop({ name: `deliver ${channel.type}`, step: () => this.step(), log: app.log });
  }

  start(): void {
    this.app.notices.on('delivery_queue', () => this.loop.wake());
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
      await this.step();
      if (this.inFlight.size === 0) return;
      await this.settle();
    }
  }

  private async settle(): Promise<void> {
    while (this.inFlight.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Leases as much as there is room for, and says how long to rest. */
  private async step(): Promise<number> {
    const places = this.app.config.DELIVERY_CONCURRENCY;
    const free = places - this.inFlight.size;
    // Taking single messages as single places become free would cost a round trip each.
    this.starved = free < places / 4;
    if (this.starved) return idle_ms;
    await this.readShares();
    const most = Math.min(free, this.channel.choice.capacity());
    if (most < 1) return paced_ms;
    const quiet_ms = this.leases.quietAfterJump_ms();
    if (quiet_ms > 0) return quiet_ms;
    const now = this.app.clock.now();
    const assigned = new Map<string, string | undefined>();
    const leased = await this.reader.lease(this.app.db, {
      most,
      mostBulk: Math.max(0, Math.floor(places * mostBulkShare) - this.bulkInFlight()),
      now,
      until: later(now, lease_ms),
      assign: (queued) => {
        const name = this.assign(queued);
        assigned.set(queued.id, name);
        return name ?? null;
      },
    });
    if (this.leases.quietAfterJump_ms() > 0) {
      await this.leases.leave(leased);
      return idle_ms;
    }
    for (const queued of leased) void this.process(queued, assigned.get(queued.id));
    return leased.length > 0 ? 0 : idle_ms;
  }

  /** Only what is really going to be sent is put down as given to somebody. */
  private assign(queued: QueuedNotification): string | undefined {
    if (queued.status !== 'created' || queued.key_type === 'test' || this.inFlight.has(queued.id)) return undefined;
    const { international, outcome_known, last_provider } = queued;
    return this.channel.choice.choose({
      international,
      ...(outcome_known ? { notAgain: last_provider } : { again: last_provider }),
    });
  }

  private async process(queued: QueuedNotification, providerName: string | undefined): Promise<void> {
    // Its lease ran out while we still hold it (a database that was away): the first attempt goes on.
    if (this.inFlight.has(queued.id)) return;
    this.inFlight.set(queued.id, { lane: queued.lane, leasedAt: performance.now() });
    try {
      await this.results.add(await this.attempt(queued, providerName));
    } catch (error) {
      // Nothing is lost: the lease runs out, and whoever takes the message next finds it unsettled.
      this.app.log.error({ err: error, notification_id: queued.id }, 'an attempt could not be recorded');
    } finally {
      this.inFlight.delete(queued.id);
      if (this.starved) this.loop.wake();
    }
  }

  private async attempt(queued: QueuedNotification, providerName: string | undefined): Promise<Result> {
    const { choice, services, compose } = this.channel;
    const { clock, log, config } = this.app;
    const provider = providerName === undefined ? undefined : choice.find(providerName);
    const mustWait = provider === undefined && !choice.isHopeless(queued);
    try {
      const service = await services.find(queued.service_id);
      const standIn = queued.key_type === 'test' ? choice.standIn(queued) : undefined;
      return await deliver({ queued, service, provider, standIn, mustWait, compose, clock, log, config });
    } catch (error) {
      // The message is not at fault: when its lease runs out it is tried again.
      if (isDatabaseUnavailable(error)) throw error;
      log.error({ err: error, notification_id: queued.id, attempts: queued.attempts + 1 }, 'an attempt failed');
      return failedAttempt(queued, { clock, config });
    }
  }

  private async record(results: Result[]): Promise<undefined[]> {
    const { db, clock, log } = this.app;
    await outlastingOutages(
      log,
      () => this.stopping,
      () => inTransaction(db, (tx) => recordResults(tx, results, clock.now())),
    );
    for (const result of results) this.measure(result);
    if (results.some(({ outcome }) => outcome === 'retry')) await this.lookForTrouble();
    return results.map(() => undefined);
  }

  /** A provider that fails often gives some of its share to the others. */
  private async lookForTrouble(): Promise<void> {
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

  private bulkInFlight(): number {
    let count = 0;
    for (const { lane } of this.inFlight.values()) if (lane === lanes.bulk) count += 1;
    return count;
  }
}
