import { randomUUID } from 'node:crypto';
import type { OptOutSettings } from '../../inbound/opt-outs/settings.ts';
import { minute_ms, timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { Loop } from '../../platform/process/loop.ts';
import { DeliveryMetrics } from '../delivery-metrics.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import type { ReportReceiver } from '../providers/reports.ts';
import type { ProvidersConfig } from '../providers/settings.ts';
import { receiptDeps } from './provider-reports.ts';
import { ReceiptRecorder } from './receipts.ts';
import {
  endLease,
  leaseReceiver,
  type ReceiverKey,
  selectReceivers,
  updateReceivedAt,
} from './report-receivers.sql.ts';

type Deps = Platform & {
  config: ProvidersConfig & { optOuts: OptOutSettings };
  providers: readonly ProviderDescriptor[];
};

/** Longer than the pause between two steps, so that a healthy worker keeps its lease. */
const lease_ms = 2 * minute_ms;
const leaseRetry_ms = 10_000;
const minBackoff_ms = 2_000;
const maxBackoff_ms = 5 * minute_ms;

/** Runs the receivers of active providers whose reports do not arrive by webhook. */
export class ReportReceivers {
  private readonly app: Deps;
  private readonly runs: ReceiverRun[];

  constructor(app: Deps) {
    this.app = app;
    this.runs = openReceivers(app).map(({ provider, receiver }) => new ReceiverRun(app, provider, receiver));
  }

  start(): void {
    measure(
      this.app,
      this.runs.flatMap(({ key, isExclusive }) => (isExclusive ? [key] : [])),
    );
    for (const run of this.runs) run.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.runs.map((run) => run.stop()));
  }

  async runOnce(): Promise<void> {
    for (const run of this.runs) while ((await run.step()) === 0);
  }
}

function openReceivers(app: Deps): { provider: string; receiver: ReportReceiver }[] {
  const active = app.providers.filter(
    ({ name, channel, receivers }) => receivers && app.config[channel].providers.includes(name),
  );
  const { reports } = new DeliveryMetrics(app.metrics);
  const receipts = new ReceiptRecorder(app);
  return active.flatMap((provider) => {
    const countReport = (kind: string) => reports.inc({ provider: provider.name, kind });
    const receivers = provider.receivers?.({ ...receiptDeps(app, provider, receipts), countReport }) ?? [];
    return receivers.map((receiver) => ({ provider: provider.name, receiver }));
  });
}

class ReceiverRun {
  private readonly app: Deps;
  readonly key: ReceiverKey;
  private readonly receiver: ReportReceiver;
  private readonly worker = randomUUID();
  private readonly loop: Loop;
  private failures = 0;

  constructor(app: Deps, provider: string, receiver: ReportReceiver) {
    this.app = app;
    this.key = { provider, name: receiver.name };
    this.receiver = receiver;
    this.loop = new Loop({ name: receiver.name, step: () => this.stepOrBackOff(), log: app.log });
  }

  /** Only an exclusive receiver has a lease, which records when it last received reports. */
  get isExclusive(): boolean {
    return this.receiver.isExclusive;
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
    await this.receiver.close();
    if (this.isExclusive) await endLease(this.app.db, this.key, this.worker);
  }

  /** Returns the milliseconds until the next step. */
  async step(): Promise<number> {
    const { db, clock } = this.app;
    if (this.isExclusive && !(await leaseReceiver(db, this.key, { worker: this.worker, lease_ms }))) {
      await this.receiver.close();
      return leaseRetry_ms;
    }
    const rest_ms = await this.receiver.step();
    if (this.isExclusive) await updateReceivedAt(db, this.key, timestamp(clock.now()));
    return rest_ms;
  }

  /** Logs the beginning and the end of an outage, and backs off in between. */
  private async stepOrBackOff(): Promise<number> {
    const { log } = this.app;
    try {
      const rest_ms = await this.step();
      if (this.failures > 0) log.info({ event: 'reports.resumed', ...this.key }, 'Reports are received again');
      this.failures = 0;
      return rest_ms;
    } catch (error) {
      this.failures += 1;
      const reason = error instanceof Error ? error.message : String(error);
      if (this.failures === 1) {
        log.error({ event: 'reports.failed', ...this.key, reason }, 'Reports cannot be received; trying again');
      }
      return Math.min(minBackoff_ms * 2 ** (this.failures - 1), maxBackoff_ms);
    }
  }
}

/** Reads the database, so that every process reports the same. Mailboxes that are no longer configured do not count. */
function measure({ metrics, db }: Deps, mailboxes: ReceiverKey[]): void {
  if (mailboxes.length === 0) return;
  metrics.gauges(
    'provider_reports_received_timestamp_seconds',
    'When a mailbox of reports was last read without an error; 0 if it never was',
    ['provider', 'receiver'],
    async () => {
      const known = await selectReceivers(db);
      return mailboxes.map(({ provider, name }) => {
        const received_at = known.find((one) => one.provider === provider && one.name === name)?.received_at;
        return { labels: { provider, receiver: name }, value: received_at ? Date.parse(received_at) / 1_000 : 0 };
      });
    },
  );
}
