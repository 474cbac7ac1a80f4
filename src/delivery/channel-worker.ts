import { setTimeout as sleep } from 'node:timers/promises';
import { laneName, lanes } from '../notifications/notification.ts';
import { DeliveryQueueReader, type InLane } from '../notifications/queue/delivery-queue.ts';
import {
  type LeasedNotification,
  type QueuedNotification,
  updateProviders,
} from '../notifications/queue/leases.shared.sql.ts';
import { startSpans } from '../notifications/queue/message-spans.ts';
import { queueChannel } from '../notifications/queue/queue-announcer.ts';
import { earlier, later, minute_ms } from '../platform/clock.ts';
import { isDatabaseUnavailable, retryUntilAvailable } from '../platform/db/errors.ts';
import { GroupCommit } from '../platform/db/group-commit.ts';
import type { Platform } from '../platform/platform.ts';
import { Loop, type Sleep } from '../platform/process/loop.ts';
import { TooManyWaiting } from '../platform/threads/limiter.ts';
import { type Span, withinSpan } from '../platform/tracing/span.ts';
import { OnHold } from '../sending-domains/sender-domains.ts';
import { deliver, failedAttempt, type MessageComposer, type Result, type RunningAttempt, requeue } from './deliver.ts';
import { DeliveryMetrics } from './delivery-metrics.ts';
import type { ProviderChoice } from './failover/provider-choice.ts';
import { selectShares } from './failover/provider-details.sql.ts';
import { moveShareFromFailing } from './failover/provider-failover.ts';
import { isPrompt } from './failover/provider-health.ts';
import { type Held, Leases, lease_ms } from './leases.ts';
import type { SenderIdentities } from './providers/sender-identities.ts';
import type { ActiveProviders } from './providers/settings.ts';
import { handOvers, type Recording, recordResults } from './record-results.ts';
import type { DeliverySettings } from './settings.ts';

/** Polling interval. New messages wake the worker; polling finds retries and scheduled messages. */
const idle_ms = 500;
/** Under load, interval between leases: leasing one message costs as much as leasing a hundred. */
const leaseEvery_ms = 25;
/** Under load, interval between writes of results, for the same reason. */
const recordEvery_ms = 10;
/** Delay after another worker leased the messages first. */
const minIdle_ms = 5;
/** Delay when the worker has leased as many messages as the provider rates allow. */
const rateLimitedWait_ms = 50;
/** Delay of an email when too many long emails wait in this process; another process may have room. */
const queueFullRetry_ms = 5_000;
/** Retry interval of an email whose domain is suspended, until the message expires. */
const onHold_ms = 5 * minute_ms;
const cacheSharesFor_ms = 10_000;
/** Delays before the result of a message that another transaction has locked is tried again. They double. */
const minLocked_ms = 20;
const maxLocked_ms = 1_000;
/** Max share of concurrent calls for bulk messages, so that other messages never wait for a bulk call to end. */
const maxBulkShare = 0.75;
/** Messages are leased when this share of the calls is free: leasing single messages would cost a round trip each. */
const minFreeShare = 0.25;
/** Results waiting for the database do not count as calls, but their number has this limit. */
const maxHeldPerCall = 5;

type ChannelDeps = Platform & {
  config: ActiveProviders & { delivery: DeliverySettings };
};

export interface DeliveryChannel<Message> extends MessageComposer<Message> {
  type: 'sms' | 'email';
  choice: ProviderChoice<Message>;
  services: SenderIdentities;
  /** Refreshes the state that `shouldSkip` reads. */
  beforeLease?(): Promise<void> | undefined;
  /** Whether leasing more messages of this service and lane must wait. */
  shouldSkip?(of: InLane): boolean;
}

/** Sends the queued messages of one channel to its providers, with limited concurrency. */
export class ChannelWorker<Message> {
  private readonly app: ChannelDeps;
  private readonly channel: DeliveryChannel<Message>;
  private readonly reader: DeliveryQueueReader;
  /** Leased messages, until their result is recorded. */
  private readonly held = new Map<string, Held>();
  /** Calls in progress, and how many of them are for bulk messages. */
  private calls = 0;
  private bulkCalls = 0;
  /** Attempts that released their slot and wait for a free call. */
  private readonly waitingForCall: (() => void)[] = [];
  private readonly leases: Leases;
  private readonly results: GroupCommit<Result, Recording>;
  private readonly loop: Loop;
  private readonly metrics: DeliveryMetrics;
  private sharesReadAt = Number.NEGATIVE_INFINITY;
  private stopping = false;
  /** Set while no message, or no bulk message, can be leased until calls end. */
  private atCapacity = false;
  private bulkAtCapacity = false;

  constructor(app: ChannelDeps, channel: DeliveryChannel<Message>) {
    this.app = app;
    this.channel = channel;
    this.leases = new Leases(app, this.held);
    this.reader = new DeliveryQueueReader(channel.type, this.leases.worker);
    this.metrics = new DeliveryMetrics(app.metrics);
    this.metrics.expectCalls(channel.type, app.config[channel.type].providers);
    this.results = new GroupCommit({
      commit: (results) => this.record(results),
      maxItems: 1_000,
      maxConcurrent: 1,
      every_ms: recordEvery_ms,
      affectsAll: isDatabaseUnavailable,
    });
    this.loop = new Loop({ name: `deliver ${channel.type}`, step: () => this.step(), log: app.log });
  }

  start(): void {
    const { changeListener, clock } = this.app;
    changeListener.on(queueChannel(this.channel.type), (payload) => {
      this.reader.onNotify(payload, clock.now());
      this.loop.wake();
    });
    changeListener.onReset(() => this.reader.pollSoon());
    this.leases.start();
    this.loop.start();
  }

  /** Stops leasing and waits until the calls in progress have ended and are recorded. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.loop.stop();
    await this.settle();
    this.leases.stop();
    await this.channel.choice.close();
  }

  /** Sends everything that is due now. For tests. */
  async runOnce(): Promise<void> {
    await this.leases.readDatabaseTime();
    for (;;) {
      this.reader.pollSoon();
      await this.step();
      if (this.held.size === 0) return;
      await this.settle();
    }
  }

  private async settle(): Promise<void> {
    while (this.held.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Leases as many messages as there is capacity for. Returns the delay until the next step. */
  private async step(): Promise<number | Sleep> {
    const maxCalls = this.app.config.delivery.concurrency;
    const free = maxCalls - this.calls - this.waitingForCall.length;
    this.atCapacity = free < maxCalls * minFreeShare || this.held.size > maxCalls * maxHeldPerCall;
    if (this.atCapacity) return idle_ms;
    const max = await this.leases.watch(async () => {
      await this.readShares();
      await this.channel.beforeLease?.();
      return Math.min(free, this.channel.choice.capacity());
    });
    if (max < 1) return rateLimitedWait_ms;
    const leased = await this.lease(max);
    if (leased === free) return 0;
    return leased > 0
      ? { atLeast_ms: leaseEvery_ms, atMost_ms: leaseEvery_ms }
      : { atLeast_ms: minIdle_ms, atMost_ms: idle_ms };
  }

  private async lease(max: number): Promise<number> {
    const { app, channel, leases } = this;
    const takeOverUntil = leases.takeOverUntil();
    const began = performance.now();
    const now = app.clock.now();
    const leased = await leases.watch(() =>
      this.reader.lease(app.db, {
        max,
        maxBulk: this.freeBulkCalls(),
        now,
        lease_ms,
        takeOverUntil,
        skip: (of) => channel.shouldSkip?.(of) ?? false,
        expired: earlier(now, app.config.delivery.expiry_ms),
        draw: (count) => channel.choice.draw(count),
      }),
    );
    // If a lease expired during a database outage, we may lease a message that we still hold: the first attempt continues.
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
      for (const { id, provider } of taken) {
        this.held.delete(id);
        if (provider) channel.choice.release(provider);
      }
      throw error;
    }
    const spans = await this.startSpans(taken);
    for (const queued of taken) void this.process(queued, spans.get(queued.id));
    return leased.length;
  }

  private startSpans(taken: LeasedNotification[]): Promise<ReadonlyMap<string, Span>> {
    const { type } = this.channel;
    return startSpans(
      this.app,
      taken.map(({ id, service_id, attempts }) => ({
        notification_id: id,
        name: `deliver ${type}`,
        kind: 'consumer',
        facts: { 'pennypost.service.id': service_id, 'pennypost.channel': type, 'pennypost.attempt': attempts + 1 },
      })),
    );
  }

  /**
   * Calls are short, so delivery slows down much less than the number of concurrent calls: the share is cubed. The rows of a file are
   * stored before they are delivered. Measured, this leaves a third of the CPU time to requests.
   */
  private freeBulkCalls(): number {
    const { config, bulkPace } = this.app;
    if (bulkPace.mustHoldBulk()) return 0;
    const share = bulkPace.share() ** 3;
    const maxCalls = Math.ceil(config.delivery.concurrency * maxBulkShare * share);
    const free = maxCalls - this.bulkCalls;
    this.bulkAtCapacity = free < maxCalls * minFreeShare;
    return this.bulkAtCapacity ? 0 : free;
  }

  private chooseAgain({ international, outcome_known, last_provider }: LeasedNotification): string | null {
    const before = outcome_known ? { avoid: last_provider } : { required: last_provider };
    return this.channel.choice.choose({ international, ...before }) ?? null;
  }

  private async process(queued: LeasedNotification, span: Span | undefined): Promise<void> {
    const ends: (() => void)[] = [];
    const running: RunningAttempt = {
      withSlotReleased: async (work) => {
        this.endCall(queued);
        return work().finally(() => this.resumeCall(queued));
      },
      atEnd: (end) => void ends.push(end),
    };
    try {
      this.beginCall(queued);
      const attempt = () => this.attempt(queued, queued.provider ?? undefined, running);
      const result = await (span ? withinSpan(span, attempt) : attempt()).finally(() => {
        this.endCall(queued);
        for (const end of ends) end();
      });
      if (result?.change) span?.set({ 'pennypost.status': result.change.status ?? result.change.event });
      if (result) await this.untilRecorded(result);
      else {
        this.app.log.warn(
          { event: 'lease.expired', notification_id: queued.id },
          'A lease expired before its message could be sent',
        );
      }
    } catch (error) {
      // No message is lost: its lease expires, and the next worker treats the outcome as unknown.
      this.app.log.error(
        { event: 'attempt.record_failed', err: error, notification_id: queued.id },
        'A delivery attempt could not be recorded',
      );
      span?.set({ 'error.type': error instanceof Error ? error.name : 'failed' });
    } finally {
      span?.end();
      this.held.delete(queued.id);
    }
  }

  private beginCall({ lane }: InLane): void {
    this.calls += 1;
    if (lane === lanes.bulk) this.bulkCalls += 1;
  }

  private endCall({ lane }: InLane): void {
    const isBulk = lane === lanes.bulk;
    this.calls -= 1;
    if (isBulk) this.bulkCalls -= 1;
    const next = this.waitingForCall.shift();
    if (next) next();
    else if (this.atCapacity || (isBulk && this.bulkAtCapacity)) this.loop.wake();
  }

  private async resumeCall(queued: InLane): Promise<void> {
    if (this.calls >= this.app.config.delivery.concurrency) {
      await new Promise<void>((resolve) => this.waitingForCall.push(resolve));
    }
    this.beginCall(queued);
  }

  /** Returns undefined if the lease was lost and nothing was sent. */
  private async attempt(
    queued: QueuedNotification,
    providerName: string | undefined,
    running: RunningAttempt,
  ): Promise<Result | undefined> {
    const { app, channel } = this;
    const { choice, services } = channel;
    const provider = providerName === undefined ? undefined : choice.find(providerName);
    const isRateLimited = provider === undefined && !choice.noProviderSupports(queued);
    let holdsCapacity = provider !== undefined;
    const waitForSlot = async () => {
      holdsCapacity = false;
      if (provider) await choice.waitForSlot(provider.name, queued.lane);
    };
    try {
      const service = await services.find(queued.service_id);
      const mayBeSimulated = queued.key_type === 'test' || queued.job_id !== null;
      const simulatedProvider = mayBeSimulated ? choice.simulatedProvider(queued) : undefined;
      const isHeld = () => this.leases.isHeld(queued.id);
      return await deliver({
        app,
        channel,
        queued,
        service,
        provider,
        simulatedProvider,
        isRateLimited,
        running,
        waitForSlot,
        isHeld,
      });
    } catch (error) {
      // The message did not cause it, and is retried when its lease expires.
      if (isDatabaseUnavailable(error)) throw error;
      if (error instanceof OnHold) return requeue(queued, later(app.clock.now(), onHold_ms));
      if (error instanceof TooManyWaiting) return requeue(queued, later(app.clock.now(), queueFullRetry_ms));
      app.log.error(
        { event: 'attempt.failed', err: error, notification_id: queued.id, attempts: queued.attempts + 1 },
        'A delivery attempt failed',
      );
      return failedAttempt(queued, app);
    } finally {
      if (provider && holdsCapacity) choice.release(provider.name);
    }
  }

  /** Waits while another transaction has locked the message. Results of other messages are recorded meanwhile. */
  private async untilRecorded(result: Result): Promise<void> {
    for (let wait_ms = minLocked_ms; (await this.results.add(result)) === 'locked'; wait_ms *= 2) {
      if (wait_ms > maxLocked_ms && this.stopping) throw new Error('The message stayed locked');
      result.isRepeated = true;
      await sleep(Math.min(wait_ms, maxLocked_ms));
    }
  }

  private async record(results: Result[]): Promise<Recording[]> {
    const { clock, log } = this.app;
    const { worker } = this.leases;
    const recorded = await retryUntilAvailable(
      log,
      () => this.stopping,
      () => this.leases.watch(() => recordResults(this.app, worker, results, clock.now())),
    );
    for (const [index, result] of results.entries()) if (recorded[index] === 'recorded') this.measure(result);
    if (results.some(({ outcome }) => outcome === 'retry')) await this.checkFailover();
    return recorded;
  }

  /** Moves some of the share of a failing provider to the others. */
  private async checkFailover(): Promise<void> {
    try {
      await moveShareFromFailing(this.app, this.channel.type);
    } catch (error) {
      this.app.log.warn(
        { event: 'failover.check_failed', err: error },
        'The shares of the providers could not be checked',
      );
    }
  }

  private measure(result: Result): void {
    const { queued, provider, outcome } = result;
    if (provider && outcome) this.metrics.calls.inc({ notification_type: this.channel.type, provider, outcome });
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
    if (performance.now() - this.sharesReadAt < cacheSharesFor_ms) return;
    this.channel.choice.update(await selectShares(this.app.db, this.channel.type));
    this.sharesReadAt = performance.now();
  }
}

function isToBeSent({ status, key_type }: LeasedNotification): boolean {
  return status === 'created' && key_type !== 'test';
}
