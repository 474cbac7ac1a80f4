import type { ChangedNotification } from '../notifications/notification.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Outcome } from './providers/provider.ts';
import type { Receipt } from './providers/reports.ts';

const callOutcomes: readonly Outcome['kind'][] = ['accepted', 'refused', 'retry'];
const untilSent = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];
const untilDelivered = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 108_000];

/** Created once per process. Labels are channels, lanes, providers and outcomes. */
export class DeliveryMetrics {
  readonly timeToProvider;
  readonly timeToReceipt;
  readonly calls;
  readonly promptness;
  readonly receipts;
  readonly reports;

  constructor(metrics: Metrics) {
    this.timeToProvider = metrics.histogram(
      'notification_send_duration_seconds',
      'Time from the due time of a message to its acceptance by a provider',
      ['notification_type', 'lane'],
      untilSent,
    );
    this.timeToReceipt = metrics.histogram(
      'notification_deliver_duration_seconds',
      'Time from the acceptance of a message by a provider to its receipt',
      ['notification_type', 'provider'],
      untilDelivered,
    );
    this.calls = metrics.counter('provider_calls_total', 'Calls to providers by outcome', [
      'notification_type',
      'provider',
      'outcome',
    ]);
    this.promptness = metrics.counter(
      'notifications_handed_over_total',
      'Messages handed over to a provider, by whether it took at most ten seconds',
      ['within_10_s'],
    );
    this.receipts = metrics.counter(
      'provider_receipts_total',
      'Receipts, by provider and by whether the message was found',
      ['provider', 'outcome'],
    );
    this.reports = metrics.counter(
      'provider_reports_total',
      'Reports that were read from a mailbox or received by mail',
      ['provider', 'kind'],
    );
  }

  /** Starts the counters at 0, so that alerts see the first failure, and also cover providers without failures. */
  expectCalls(notification_type: string, providers: readonly string[]): void {
    for (const provider of providers) {
      for (const outcome of callOutcomes) this.calls.inc({ notification_type, provider, outcome }, 0);
    }
  }

  observeReceipts(receipts: Receipt[], outcomes: string[], changed: ChangedNotification[], now: Date): void {
    receipts.forEach(({ provider }, index) => {
      const outcome = outcomes[index] ?? 'unknown';
      if (outcome !== 'skipped') this.receipts.inc({ provider, outcome });
    });
    const said = new Map(receipts.map(({ reference, at }) => [reference, at]));
    for (const { id, notification_type, provider, sent_at } of changed) {
      if (provider === null || sent_at === null) continue;
      const seconds = ((said.get(id) ?? now).getTime() - Date.parse(sent_at)) / 1_000;
      this.timeToReceipt.observe({ notification_type, provider }, Math.max(0, seconds));
    }
  }
}
